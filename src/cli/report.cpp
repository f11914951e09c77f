// cli/report.cpp: `tenure report`: the record as a page to look at.
#include <fmt/core.h>

#include <cstdio>

#include "cli/page_file.h"
#include "cli/progress.h"
#include "cli/stderr_output.h"
#include "cli/verbs.h"

namespace tenure::cli {

int report_page(const ReportOptions& options) {
  Progress progress("reading the record, and making the page");
  Result<std::string> page = write_page_of(options.directory, options.output);
  progress.end();
  if (!page) {
    say_line(page.error().message);
    return page.error().exit_code;
  }
  fmt::print("{}\n", *page);
  return std::fflush(stdout) == 0 ? 0 : 2;
}

}  // namespace tenure::cli
