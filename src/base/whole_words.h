// base/whole_words.h: names in source text, as whole words.
// World: offline. Pure.
#pragma once
#include <cctype>
#include <string_view>
#include <vector>

namespace tenure {

inline bool is_name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Where the text says the word; not as part of a longer one.
inline std::vector<size_t> mentions(std::string_view text, std::string_view word) {
  std::vector<size_t> found;
  for (size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    size_t end = at + word.size();
    bool is_part = (at > 0 && is_name_character(text[at - 1])) ||
                   (end < text.size() && is_name_character(text[end]));
    if (!is_part) found.push_back(at);
  }
  return found;
}

inline bool has_word(std::string_view text, std::string_view word) {
  return !mentions(text, word).empty();
}

}  // namespace tenure
