// report/why.h: every line that made memory, what it came to, and the rule that decided: `tenure show --why`.
// World: offline. Pure functions.
#pragma once
#include <string>
#include <vector>

#include "analyze/findings/findings.h"

namespace tenure::report {

// What a line came to in one word, the rule that decided in a sentence, and how much it held: the parts of a row.
const char* word_of_class(GrowthClass what);
const char* sentence_of(Rule rule);
std::string figures_of(const analyze::ConsideredLine& line);

struct WhyOptions {
  std::string line;       // "train.py:42": only what was made there; empty: every line
  std::string directory;  // paths are shown as seen from it
  int width = 100;
};

std::string why_table(const std::vector<analyze::ConsideredLine>& lines, const WhyOptions& options);

// How much of all that was tracked at the peak each of these words stands for, process by process.
std::string balance_table(const std::vector<analyze::LineBalance>& balance, int width);

// Whether one of the lines is the one that is asked for; any is, when none is asked for.
bool has_line(const std::vector<analyze::ConsideredLine>& lines, const std::string& asked);

}  // namespace tenure::report
