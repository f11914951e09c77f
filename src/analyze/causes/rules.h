// analyze/causes/rules.h: the thresholds of causes, each with its unit and its reason.
// World: offline. "Moved by" names the test that fails when the value moves.
#pragma once
#include <cstdint>

namespace tenure::analyze {

// Times a cause must have come up; growth itself is tested more strictly.
// Moved by: Causes.FourTimesAreEnoughAndThreeTooFew
inline constexpr uint64_t kLeastRecurrences = 4;
// Bytes of a site at a line of a cause, from which on it is asked whether the program itself keeps it.
// Moved by: Causes.ClaimSitesThatHeldAQuarterOfAMebibyte
inline constexpr uint64_t kLeastClaimed = 256 << 10;

}  // namespace tenure::analyze
