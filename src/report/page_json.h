// report/page_json.h: what the report page reads: the findings, their sentences, and what it draws, as one JSON document.
// World: offline. Pure function; docs/report-page.md has its form.
#pragma once
#include <string>

#include "analyze/findings/findings.h"
#include "analyze/page/page.h"

namespace tenure::report {

struct PageOptions {
  std::string directory;    // paths are shown relative to it
  uint64_t started_ns = 0;  // since 1970
  double seconds = 0;       // that the run took
  std::string tenure;       // the version that recorded it
  std::string machine;
  size_t most_rows =
      SIZE_MAX;  // of each list; a page that comes out too large is made again with fewer
};

std::string page_json(const analyze::Findings& findings, const analyze::Page& page,
                      const PageOptions& options);

}  // namespace tenure::report
