// base/sentence_reader.h: the parts of an encoded sentence (base/sentence.h). Damaged ones are read as far as they go.
// World: offline. Pure; the views lead into the text that was read.
#pragma once
#include <string_view>
#include <vector>

namespace tenure {

struct SentenceParameter {
  std::string_view name;
  std::string_view value;  // a text: may hold sentences
};

struct SentenceParts {
  std::string_view code;
  std::vector<SentenceParameter> parameters;
  size_t size =
      0;  // bytes of the sentence with its begin and end; 0: the text does not begin with one

  // Empty: it has none of this name.
  std::string_view operator[](std::string_view name) const;
};

// The sentence that the text begins with.
SentenceParts read_sentence(std::string_view text);

// The code of the sentence that the text begins with, or the text itself where it is plain.
std::string_view code_in(std::string_view text);

}  // namespace tenure
