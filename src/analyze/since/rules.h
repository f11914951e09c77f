// analyze/since/rules.h: what is worth a row of its own in what was made since a mark.
// World: offline. Constants.
#pragma once
#include <cstddef>
#include <cstdint>

namespace tenure::analyze {

// Bytes that a line left behind: a sample of small blocks stands for 32 KiB, so half of that may be chance.
// Moved by: MadeSince.ALineThatLeftLittleHasNoRow
inline constexpr uint64_t kLeastOfLine = 16 << 10;
// The same, of all that was left.
// Moved by: MadeSince.ALineThatLeftLittleHasNoRow
inline constexpr double kLeastShare = 0.01;
// Lines with a row.
// Moved by: MadeSince.OnlyTheLargestLinesHaveRows
inline constexpr size_t kMostLines = 12;
// Of what a line left behind, that a holder must keep to be named; and holders that are named.
// Moved by: MadeSince.EachHolderOfAGoodPartIsNamed
inline constexpr double kLeastShareOfLine = 0.1;
inline constexpr size_t kMostHoldersOfLine = 3;

}  // namespace tenure::analyze
