#include "analyze/findings/severity.h"

namespace tenure::analyze {

Severity severity_of(GrowthClass what) {
  switch (what) {
    case GrowthClass::leak:
    case GrowthClass::growing_block:
      return Severity::leak;
    case GrowthClass::bounded:
    case GrowthClass::filling:
    case GrowthClass::stayed:
      return Severity::note;
    default:
      return Severity::warning;
  }
}

// Whoever saw it knows whether the program went on; a warning that nobody caught is an error by now.
Severity severity_of(const LifetimeError& error) { return error.told_as; }

}  // namespace tenure::analyze
