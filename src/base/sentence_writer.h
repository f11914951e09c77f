// base/sentence_writer.h: makes encoded sentences (base/sentence.h) where memory may be had for them:
//   sentence("growth.title", {{"bytes", growth.bytes}, {"per", growth.per}})
// tools/check_sentences.py reads such calls: each code has a text, and each parameter is shown by it.
// World: offline. Pure.
#pragma once
#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>

namespace tenure {

struct SentenceArgument {
  SentenceArgument(std::string_view name, std::string_view text) : name(name), value(text) {}
  SentenceArgument(std::string_view name, std::integral auto number)
      : name(name), value(std::to_string(number)) {}

  std::string_view name;
  std::string value;  // a text: may hold sentences
};

// A value that is empty is left out. One that was cut inside of a sentence is closed, so that it cannot take along what
// follows.
std::string sentence(std::string_view code, std::initializer_list<SentenceArgument> arguments = {});

}  // namespace tenure
