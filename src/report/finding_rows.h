// report/finding_rows.h: one finding as a headline and the labelled lines below it.
// World: offline. Pure functions; see terminal.h for the whole report.
#pragma once
#include <string>

#include "analyze/findings/findings.h"
#include "report/paint.h"

namespace tenure::report {

struct FindingStyle {
  Paint paint{false};
  int width = 100;
  std::string directory;  // paths are shown relative to it
  std::string main_unit;  // growth counted in it is counted in "steps"
  const std::vector<analyze::ProcessFigures>* processes = nullptr;  // of the run
  bool has_error = false;  // also the text of the exception, for readers without the traceback
};

// `12.4 MiB every step, 2.6 GiB now`, or the finding's title where it has no slope.
std::string headline(const analyze::Finding& finding, const std::string& main_unit);

// The lead (`1  LEAK  `), the headline, the kind in a column at the right.
std::string headline_row(const analyze::Finding& finding, const std::string& lead,
                         const FindingStyle& style);

// `made at`, `kept by`, ... `why`, `fix`: what the finding has of these.
std::string detail_rows(const analyze::Finding& finding, const FindingStyle& style);

}  // namespace tenure::report
