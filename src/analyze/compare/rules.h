// analyze/compare/rules.h: the thresholds of comparing runs, each with its unit and its reason.
// World: offline. "Moved by" names the test that fails when the value moves.
#pragma once
#include <cstdint>

namespace tenure::analyze {

// What is in a baseline may be larger by this share of its figure: two runs of one program differ by sampling and by the
// number of rounds that fit.
// Moved by: Baseline.AcceptsUpToItsTolerance
inline constexpr double kBaselineTolerance = 0.10;

// Growth per step that two runs differ by: a share of the larger. Less is the same leak.
// Moved by: Difference.ALittleMoreGrowthIsTheSame
inline constexpr double kSameGrowthShare = 0.10;

// Memory of a line that is worth a row: bytes, and share of the larger of the two figures. Less is noise of caches and samples.
// Moved by: Difference.LittleMoreMemoryIsNoRow
inline constexpr uint64_t kLeastLineChange = 64 << 10;
inline constexpr double kLeastLineChangeShare = 0.10;

}  // namespace tenure::analyze
