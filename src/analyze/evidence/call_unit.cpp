#include "analyze/evidence/call_unit.h"

#include "analyze/evidence/rules.h"
#include "analyze/run/handler.h"

namespace tenure::analyze {

std::optional<Unit> unit_of_calls(Frames& frames, const Units& units, const SiteEvidence& c) {
  std::optional<Handler> handler = handler_of(frames, c.site->stack);
  if (!handler) return std::nullopt;
  for (Unit& unit : units.around(c.site->stack, handler->depth)) {
    if (static_cast<double>(unit.sure_calls) < kFewestSteps) continue;
    unit.per = call_of(*handler);
    unit.is_of_line = unit.is_estimated = true;
    return unit;
  }
  return std::nullopt;
}

}  // namespace tenure::analyze
