#include "report/text.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace tenure::report {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
constexpr std::string_view kEllipsis = "\xE2\x80\xA6";
constexpr uint32_t kInvalid = UINT32_MAX;

struct Character {
  uint32_t code = kInvalid;
  size_t size = 1;  // bytes it takes; one for an invalid byte
};

struct Range {
  uint32_t first, last;
};

template <size_t N>
bool is_in(uint32_t code, const std::array<Range, N>& ranges) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](Range range) { return code >= range.first && code <= range.last; });
}

// What a lead byte promises: how many bytes follow and the smallest code that may use that many.
struct Lead {
  size_t following;
  uint32_t bits, smallest;
};

Lead lead_of(uint8_t byte) {
  if (byte >= 0xC2 && byte < 0xE0) return {1, byte & 0x1Fu, 0x80};
  if (byte >= 0xE0 && byte < 0xF0) return {2, byte & 0x0Fu, 0x800};
  if (byte >= 0xF0 && byte < 0xF5) return {3, byte & 0x07u, 0x10000};
  return {0, 0, 0};
}

// Pre-condition: `text` is not empty.
Character first_of(std::string_view text) {
  const auto byte = static_cast<uint8_t>(text[0]);
  if (byte < 0x80) return {byte, 1};
  const Lead lead = lead_of(byte);
  if (lead.following == 0 || text.size() <= lead.following) return {};
  uint32_t code = lead.bits;
  for (size_t i = 1; i <= lead.following; ++i) {
    const auto next = static_cast<uint8_t>(text[i]);
    if ((next & 0xC0) != 0x80) return {};
    code = code << 6 | (next & 0x3Fu);
  }
  const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < lead.smallest || code > 0x10FFFF || is_surrogate) return {};
  return {code, lead.following + 1};
}

int columns_of(uint32_t code) {
  static constexpr std::array<Range, 4> kNone = {
      {{0x300, 0x36F}, {0x200B, 0x200F}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}}};
  static constexpr std::array<Range, 10> kTwo = {{{0x1100, 0x115F},
                                                  {0x2E80, 0xA4CF},
                                                  {0xAC00, 0xD7A3},
                                                  {0xF900, 0xFAFF},
                                                  {0xFE30, 0xFE6F},
                                                  {0xFF00, 0xFF60},
                                                  {0xFFE0, 0xFFE6},
                                                  {0x1F300, 0x1F64F},
                                                  {0x1F900, 0x1F9FF},
                                                  {0x20000, 0x3FFFD}}};
  if (code < 0x300) return 1;
  if (is_in(code, kNone)) return 0;
  return is_in(code, kTwo) ? 2 : 1;
}

// Characters that the report itself uses.
char ascii_of(uint32_t code) {
  constexpr std::string_view kHeights = ".:-=+*#@";  // U+2581 to U+2588
  if (code < 0x80) return static_cast<char>(code);
  if (code >= 0x2581 && code <= 0x2588) return kHeights[code - 0x2581];
  if (code == 0x2026) return '~';  // an ellipsis
  if (code == 0x2500) return '-';  // a rule
  return code == 0x25BE ? 'v' : '?';
}

bool is_space(uint32_t code) {
  return code == ' ' || (code >= '\t' && code <= '\r') || code == 0x85 || code == 0x2028 ||
         code == 0x2029;
}

// Control characters, and those that turn the direction of what follows.
bool is_steering(uint32_t code) {
  static constexpr std::array<Range, 4> kSteering = {
      {{0, 0x1F}, {0x7F, 0x9F}, {0x202A, 0x202E}, {0x2066, 0x2069}}};
  return code == kInvalid || is_in(code, kSteering);
}

}  // namespace

std::string valid_utf8(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  while (!text.empty()) {
    const Character character = first_of(text);
    valid += character.code == kInvalid ? kReplacement : text.substr(0, character.size);
    text.remove_prefix(character.size);
  }
  return valid;
}

std::string printable(std::string_view text) {
  std::string line;
  bool has_gap = false;
  while (!text.empty()) {
    const Character character = first_of(text);
    if (is_space(character.code)) {
      has_gap = !line.empty();
    } else {
      if (has_gap) line += ' ';
      has_gap = false;
      line += is_steering(character.code) ? kReplacement : text.substr(0, character.size);
    }
    text.remove_prefix(character.size);
  }
  return line;
}

int width_of(std::string_view text) {
  int width = 0;
  while (!text.empty()) {
    const Character character = first_of(text);
    width += columns_of(character.code);
    text.remove_prefix(character.size);
  }
  return width;
}

std::string cut(std::string_view text, int width) {
  if (width_of(text) <= width) return std::string(text);
  if (width < 1) return "";
  size_t kept = 0;
  for (int used = 0;;) {
    const Character character = first_of(text.substr(kept));
    used += columns_of(character.code);
    if (used > width - 1) break;
    kept += character.size;
  }
  return std::string(text.substr(0, kept)) + std::string(kEllipsis);
}

std::string cut_characters(std::string_view text, size_t count) {
  size_t kept = 0, at = 0;
  for (size_t seen = 1; at < text.size(); ++seen) {
    at += first_of(text.substr(at)).size;
    if (seen < count) kept = at;
    if (seen > count) return std::string(text.substr(0, kept)) + std::string(kEllipsis);
  }
  return std::string(text);
}

std::string cut_bytes(std::string_view text, size_t bytes) {
  if (text.size() <= bytes) return std::string(text);
  size_t end = bytes - kEllipsis.size();
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return std::string(text.substr(0, end)).append(kEllipsis);
}

std::string ascii(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    const Character character = first_of(text);
    plain.append(static_cast<size_t>(columns_of(character.code)), ascii_of(character.code));
    text.remove_prefix(character.size);
  }
  return plain;
}

std::vector<std::string> wrapped(std::string_view text, int width) {
  std::vector<std::string> lines;
  int used = 0;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (word.empty()) continue;
    const int columns = width_of(word);
    if (!lines.empty() && used + 1 + columns <= width) {
      lines.back().append(" ").append(word);
      used += 1 + columns;
    } else {
      lines.emplace_back(word);
      used = columns;
    }
  }
  return lines;
}

std::string padded(std::string_view text, int width) {
  return std::string(text) +
         std::string(static_cast<size_t>(std::max(0, width - width_of(text))), ' ');
}

std::string right_aligned(std::string_view text, int width) {
  return std::string(static_cast<size_t>(std::max(0, width - width_of(text))), ' ') +
         std::string(text);
}

}  // namespace tenure::report
