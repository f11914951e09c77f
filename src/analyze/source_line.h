// analyze/source_line.h: the text of a line of the user's program, and what its shape tells.
// World: offline.
#pragma once
#include <optional>
#include <string>

namespace tenure::analyze {

std::optional<std::string> read_source(const std::string& file);  // nothing: it cannot be read

// Without leading blanks; empty if the file cannot be read or has no such line.
std::string read_source_line(const std::string& file, int line);

// "train.py:12" of a path to train.py, and 12.
std::string short_place(const std::string& file, int line);

// `x` of "x = ..." and "x += ...", no attribute; else empty.
std::string assigned_variable(const std::string& line);

// `x = f(x, ...)`, `self.x += ...`: the new value is made from the old one.
bool assigns_what_it_reads(const std::string& line);

// Whether the variable that a line assigns goes round a loop of its function: no line in it gives the name to anything that
// is not made from the old value.
bool is_carried_round(const std::string& file, int line);

}  // namespace tenure::analyze
