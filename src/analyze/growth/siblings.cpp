#include "analyze/growth/siblings.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "analyze/evidence/rules.h"

namespace tenure::analyze {
namespace {

using LineOfCode = std::tuple<std::string, int, std::string>;

LineOfCode line_of(const Growth& growth) {
  return {growth.line.file, growth.line.line, growth.line.function};
}

// It was still being added to, and all that was missed is more of it. One that gave up most of what it ever held does not
// keep its blocks as the other does.
bool lacks_only_rounds(const Growth& growth) {
  if (growth.sites.empty() || growth.cause || growth.is_one_block) return false;
  if (static_cast<double>(growth.bytes) < kFallen * static_cast<double>(growth.most_bytes))
    return false;
  switch (growth.rule) {
    case Rule::too_little:
    case Rule::few_late_steps:
    case Rule::too_few_steps:
    case Rule::few_samples:
      return growth.bytes > 0;
    default:
      return false;
  }
}

void take_as_leak(Growth& growth) {
  growth.what = GrowthClass::leak;
  growth.rule = Rule::leaks_elsewhere;
  if (growth.bytes_per_step == 0 && growth.steps > 0)
    growth.bytes_per_step = static_cast<double>(growth.bytes) / static_cast<double>(growth.steps);
}

}  // namespace

void join_siblings(const std::vector<GrowthJudgements*>& processes) {
  if (processes.size() < 2) return;
  std::set<LineOfCode> leaks;
  for (const GrowthJudgements* process : processes) {
    for (const Judgement& j : process->lines) {
      bool is_pile = is_leak(j.growth.what) && j.growth.rule == Rule::survivors;
      if (is_pile && j.growth.line.line > 0) leaks.insert(line_of(j.growth));
    }
  }
  for (GrowthJudgements* process : processes) {
    for (Judgement& j : process->lines) {
      if (lacks_only_rounds(j.growth) && leaks.contains(line_of(j.growth))) take_as_leak(j.growth);
    }
  }
}

}  // namespace tenure::analyze
