#include "analyze/findings.h"

#include <fmt/core.h>

#include <algorithm>

namespace tenure::analyze {

bool has_place(const Finding& finding, const std::string& file, int line) {
  return std::any_of(finding.where.begin(), finding.where.end(),
                     [&](const Place& p) { return p.file == file && p.line == line; });
}

std::string growth_title(double bytes_per_step, uint64_t bytes) {
  return fmt::format("{:.0f} bytes every step, {} bytes now", bytes_per_step, bytes);
}

const char* word(Verdict verdict) {
  switch (verdict) {
    case Verdict::clean:
      return "clean";
    case Verdict::leak:
      return "leak";
    case Verdict::lifetime_error:
      return "lifetime-error";
    case Verdict::out_of_memory:
      return "out-of-memory";
    case Verdict::unknown:
      return "unknown";
  }
  return "unknown";
}

const char* word(Severity severity) {
  switch (severity) {
    case Severity::error:
      return "error";
    case Severity::leak:
      return "leak";
    case Severity::warning:
      return "warning";
    case Severity::note:
      return "note";
  }
  return "note";
}

}  // namespace tenure::analyze
