// analyze/balance/rules.h: the thresholds of the verdict, each with its unit and its reason.
// World: offline. "Moved by" names the test that fails when the value moves.
#pragma once
#include <cstdint>

namespace tenure::analyze {

// Steps a program that was cut off must have shown to be called clean.
// Moved by: Verdict.ACutOffRunNeedsEightStepsToBeClean
inline constexpr uint64_t kStepsToBeClean = 8;

// Resident memory that is in nothing we know of: bytes, and share of all that is resident. Clean programs have less:
// `python3 bench/unseen.py` prints their distribution.
// Moved by: Verdict.MemoryThatNobodySawIsUnknown
inline constexpr uint64_t kLeastUnseen = 64 << 20;
inline constexpr double kMostUnseenShare = 0.25;

}  // namespace tenure::analyze
