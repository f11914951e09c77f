#include "analyze/balance/verdict.h"

#include "analyze/balance/rules.h"

namespace tenure::analyze {

Decision decide(const Balance& balance) {
  if (balance.is_out_of_memory) return {Verdict::out_of_memory, ""};
  if (balance.has_lifetime_error) return {Verdict::lifetime_error, ""};
  if (balance.has_leak) return {Verdict::leak, ""};
  for (const std::string* reason :
       {&balance.never_ran, &balance.heap_off, &balance.too_short, &balance.not_seen}) {
    if (!reason->empty()) return {Verdict::unknown, *reason};
  }
  if (!balance.cut_off.empty() && balance.steps < kStepsToBeClean)
    return {Verdict::unknown, balance.cut_off};
  if (!balance.no_symbols.empty()) return {Verdict::unknown, balance.no_symbols};
  return {Verdict::clean, ""};
}

}  // namespace tenure::analyze
