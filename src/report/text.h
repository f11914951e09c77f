// report/text.h: text of unknown origin made fit to print: valid UTF-8, one line, a known width.
// World: offline. Pure functions. A width counts terminal columns: wide characters take two.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace tenure::report {

// Each invalid byte becomes U+FFFD; everything else stays.
std::string valid_utf8(std::string_view text);

// Valid UTF-8 on one line: runs of white space become one space, other control characters U+FFFD, so that
// a source line cannot steer the terminal. No space at either end.
std::string printable(std::string_view text);

// Columns of valid UTF-8.
int width_of(std::string_view text);

// At most `width` columns of valid UTF-8; what was cut shows as an ellipsis.
std::string cut(std::string_view text, int width);

// At most `count` characters (code points) of valid UTF-8; what was cut shows as an ellipsis.
std::string cut_characters(std::string_view text, size_t count);

// At most `bytes` bytes, cut between characters; what was cut shows as an ellipsis.
std::string cut_bytes(std::string_view text, size_t bytes);

// For terminals without UTF-8: as many columns, in ASCII. Heights of a sparkline stay in order; what has no likeness is `?`.
std::string ascii(std::string_view text);

// Lines of at most `width` columns, broken at spaces. A longer word gets a line of its own and is not broken:
// it may be a path or a command to copy.
std::vector<std::string> wrapped(std::string_view text, int width);

// Filled with spaces to `width` columns, at the end or at the start.
std::string padded(std::string_view text, int width);
std::string right_aligned(std::string_view text, int width);

}  // namespace tenure::report
