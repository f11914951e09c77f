// report/terminal.h: findings as sentences for a terminal.
// World: offline. Pure functions: the caller knows the terminal and the directory, and prints.
#pragma once
#include <string>

#include "analyze/findings/findings.h"

namespace tenure::report {

struct TerminalOptions {
  bool has_color = false;
  int width = 100;
  std::string record;      // its name for the `again:` line; empty: no such line
  bool is_quiet = false;   // a clean run is not worth a word
  bool has_parts = false;  // `show`: also where resident memory was, what a step is, and every loss
  std::string directory;   // the current one: paths are shown relative to it where that is shorter
};

// Ends with a newline, or is empty when there is nothing to say.
std::string terminal_report(const analyze::Findings& findings, const TerminalOptions& options);

// `Resident 310 MiB at the last look: 250 MiB tracked, ...`; empty when nobody looked.
std::string parts_line(const analyze::MemoryParts& parts);

}  // namespace tenure::report
