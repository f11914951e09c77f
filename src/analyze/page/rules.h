// analyze/page/rules.h: how much of a run the page shows. Beyond these, the smallest become "other": a page stays below 5 MB
// whatever the run was.
// World: offline.
#pragma once
#include <cstddef>

namespace tenure::analyze {

// Where the axis of work begins: what came before the program's own first loop gets so much room beside it. Imports make
// more blocks than many a program.
inline constexpr double kPageStart = -0.125;

// Processes: each has a chart of its own, and nobody reads more than a screen of them.
inline constexpr size_t kPageProcesses = 24;

// Lines of a process; of the main one, and of others.
inline constexpr size_t kPageLines = 1500;
inline constexpr size_t kPageLinesOfOthers = 60;

// Stretches of the run in which births are counted: narrower bars could not be seen beside each other.
inline constexpr size_t kPageStretches = 48;

// Lines whose births are shown along the run: they are most of the page.
inline constexpr size_t kPageLinesWithBirths = 300;

// Lines with a band of their own in the chart of memory: more colours than these cannot be told apart.
inline constexpr size_t kPageBands = 6;

// Sites that the tree of calls is made of, and calls in it. Boxes thinner than a pixel show nothing.
inline constexpr size_t kPageSites = 3000;
inline constexpr size_t kPageCalls = 12000;
inline constexpr size_t kPageCallsOfOthers = 600;

// Frames of one stack; what is further in is added to the last.
inline constexpr size_t kPageDepth = 96;

// Live blocks, and those of them whose way from a root is shown: each way is looked for by itself.
inline constexpr size_t kPageBlocks = 400;
inline constexpr size_t kPagePaths = 60;

}  // namespace tenure::analyze
