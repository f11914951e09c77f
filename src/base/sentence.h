// base/sentence.h: a sentence on its way to the report: its code and its parameters in one string, so that ledgers keep it
// like any other text. The English is in report/sentences; python/tenure/_sentence.py writes the same form:
//   sentence  = BEGIN code *(NEXT name "=" value) END
//   text      = *(plain bytes / sentence)         a value is a text: sentences may hold sentences
// World: both, and the C++ library. Nothing here allocates; what finds no room is cut, which readers can bear.
#pragma once
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tenure {

inline constexpr char kSentenceBegin = '\x02';
inline constexpr char kSentenceEnd = '\x03';
inline constexpr char kSentenceNext = '\x1f';

constexpr bool is_sentence_byte(char byte) noexcept {
  return byte == kSentenceBegin || byte == kSentenceEnd || byte == kSentenceNext;
}

template <std::size_t kRoom>
class EncodedSentence {
 public:
  explicit EncodedSentence(const char* code) noexcept {
    put(kSentenceBegin);
    put_plain(code);
    close();
  }

  EncodedSentence& with(const char* name, std::string_view value) noexcept {
    open(name);
    put_plain(value);
    return close();
  }
  EncodedSentence& with(const char* name, std::uint64_t number) noexcept {
    char digits[24];
    char* end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    return with(name, {digits, static_cast<std::size_t>(end - digits)});
  }
  template <std::size_t kInner>
  EncodedSentence& with(const char* name, const EncodedSentence<kInner>& inner) noexcept {
    open(name);
    for (const char* c = inner.text(); *c; ++c) put(*c);
    return close();
  }

  const char* text() const noexcept { return text_; }

 private:
  void put(char byte) noexcept {
    if (used_ + 2 < kRoom) text_[used_++] = byte;  // the end and the terminator have their room
  }
  void put_plain(std::string_view text) noexcept {
    for (char byte : text) put(is_sentence_byte(byte) ? ' ' : byte);
  }
  void open(const char* name) noexcept {
    put(kSentenceNext);
    put_plain(name);
    put('=');
  }
  EncodedSentence& close() noexcept {
    text_[used_] = kSentenceEnd;  // the next parameter takes its place
    text_[used_ + 1] = '\0';
    return *this;
  }

  char text_[kRoom];  // terminated by close(): nobody pays for the room that is left
  std::size_t used_ = 0;
};

}  // namespace tenure
