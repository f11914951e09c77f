#include "analyze/since/mark.h"

#include <sstream>

namespace tenure::analyze {

std::optional<MarkedStretch> marked_stretch(const ledger::Reader& ledger, const std::string& name) {
  std::optional<MarkedStretch> found;
  const std::string key = "mark." + name;
  for (const ledger::Fact& fact : ledger.facts()) {
    if (ledger.string(fact.key) != key) continue;
    std::istringstream value{std::string(ledger.string(fact.value))};
    std::string word;
    Tick tick = 0;
    uint64_t live = 0, peak = 0;
    if (!(value >> word >> tick >> live)) continue;
    if (word == "begin") {
      found = MarkedStretch{};
      found->from = tick;
      found->live_before = live;
    } else if (found && word == "end" && value >> peak) {
      found->to = tick;
      found->live_after = live;
      found->peak_rise = peak;
      found->has_ended = true;
    }
  }
  return found;
}

}  // namespace tenure::analyze
