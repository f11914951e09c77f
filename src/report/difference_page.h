// report/difference_page.h: what the page of `tenure diff` reads: two runs beside each other, as one JSON document.
// World: offline. Pure function. The form may change with any version, as that of the report page.
#pragma once
#include <string>

#include "analyze/page/page.h"
#include "report/difference_text.h"

namespace tenure::report {

// The pages are those of the runs: of each, memory along the run of the process that is shown first.
std::string difference_page_json(const ComparedRun& before, const analyze::Page& page_before,
                                 const ComparedRun& after, const analyze::Page& page_after,
                                 const analyze::Difference& difference);

}  // namespace tenure::report
