#include "analyze/compare/growth_figure.h"

#include <cmath>

namespace tenure::analyze {

bool is_growth(const Finding& finding) {
  if (finding.severity == Severity::leak) return true;
  return finding.severity == Severity::warning && finding.bytes_per_step.value_or(0) > 0;
}

bool is_lifetime_error(const Finding& finding) {
  return finding.severity == Severity::error && finding.kind != Kind::out_of_memory;
}

double growth_of(const Finding& finding) {
  const double slope = finding.bytes_per_step.value_or(0);
  return std::isfinite(slope) && slope > 0 ? slope : static_cast<double>(finding.bytes);
}

}  // namespace tenure::analyze
