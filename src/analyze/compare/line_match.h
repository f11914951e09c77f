// analyze/compare/line_match.h: the same line of two versions of a program, by function and statement, not by its number.
// World: offline. Pure. Statements are those that the record kept (report/source_text.h fills them in).
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analyze/findings/findings.h"

namespace tenure::analyze {

// What a line is known by, and what tells several of the same statement apart.
struct LineKey {
  std::string file;
  int line = 0;
  std::string function;
  std::string statement;  // without blanks at its ends; empty: not known
  std::string kind;       // of the finding; empty: of none
  std::string holder;     // who keeps its memory, without figures; empty: not known
};

// By the place that people look at first.
LineKey key_of(const Finding& finding);
LineKey key_of(const ConsideredLine& line);

// Function and statement are the same; of a line whose statement is not known, function and name of the file. At module
// level the number must be the same then.
bool is_same_line(const LineKey& a, const LineKey& b);

// For each of `before` the one of `after` that it is now; each at most once. Of several candidates the one of the same
// file, kind and holder, then the nearest.
std::vector<std::optional<size_t>> match_lines(const std::vector<LineKey>& before,
                                               const std::vector<LineKey>& after);

}  // namespace tenure::analyze
