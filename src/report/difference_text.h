// report/difference_text.h: two runs compared, for a terminal and as `tenure-diff/1`.
// World: offline. Pure functions.
#pragma once
#include <string>

#include "analyze/compare/difference.h"
#include "report/paint.h"

namespace tenure::report {

struct ComparedRun {
  std::string record;     // as it was named
  std::string directory;  // where the run was made: paths are relative to it
  analyze::Findings findings;
};

struct DifferenceOptions {
  Paint paint{false};
  int width = 100;
};

// The sentence first; ends with a newline.
std::string difference_text(const ComparedRun& before, const ComparedRun& after,
                            const analyze::Difference& difference,
                            const DifferenceOptions& options);

// Its first sentence alone, and that of one change.
std::string difference_sentence(const ComparedRun& before, const ComparedRun& after,
                                const analyze::Difference& difference);
std::string change_sentence(const ComparedRun& before, const ComparedRun& after,
                            const analyze::Difference& difference,
                            const analyze::FindingChange& change);

// `new`, `worse`, `unclear`, `same`, `better`, `gone`
const char* name_of(analyze::Change change);

}  // namespace tenure::report
