// analyze/growth/rules.h: the thresholds of the judgement of growth, each with its unit and its reason.
// World: offline. "Moved by" names the test that fails when the value moves. docs/decisions/0003-leak-test.md has the test.
#pragma once
#include <cstddef>
#include <cstdint>

namespace tenure::analyze {

// ---- what a leak needs

// Of eight equal parts of the later half, those that left survivors: fewer are bursts.
// Moved by: GrowthRules.EachShapeIsDecidedByItsRule
inline constexpr int kFewestParts = 5;
// Pace at the end over the mean pace; below, it is a cache that fills. Chance has a part in samples.
// Moved by: GrowthRules.EachShapeIsDecidedByItsRule
inline constexpr double kSteady = 0.7;
inline constexpr double kSteadySamples = 0.55;
// Where no steps are known, the axis has a part in it.
inline constexpr double kSteadyBirths = 0.4;

// The same along the axis, for a loop of a native program that is only seen when the line makes a block: its rounds tell no
// pace. A lower bound than the others: rounds that become slower with all that is there are no cache.
// Moved by: GrowthRules.ALoopThatIsOnlySeenByItsBlocksTellsNoPace
inline constexpr double kSteadyUnseen = 0.25;

// Of the axis, behind the last addition: then it was loaded, and the program went on without adding to it.
// Moved by: GrowthRules.EachShapeIsDecidedByItsRule
inline constexpr double kNothingAdded = 1.0 / 3;
// Births after the moment at which a site held most, as a factor and in blocks: then it was made again.
inline constexpr double kWentOnFactor = 1.1;
inline constexpr double kWentOnBlocks = 8;

// Sizes of one block that a library makes bigger and bigger: with fewer it is a table that finds its size.
// Moved by: GrowthRules.ATableOfALibraryFindsItsSize
inline constexpr double kSizesOfLibrary = 16;

// Blocks of one site that grow side by side: with fewer it is one, and the one it is copied from.
inline constexpr double kManyBlocks = 4;

// ---- what is worth a warning

// Steps of the later half that left survivors.
// Moved by: GrowthRules.EachShapeIsDecidedByItsRule
inline constexpr double kSuspiciousSteps = 4;
// Samples: fewer are where they are by chance, and make no leak either.
// Moved by: LeakTest.ThirtyTwoSamplesMakeALeak
inline constexpr uint64_t kFewestSamples = 32;

// ---- what is worth the verdict `unknown`

// Of the peak, and bytes, that grew over too few steps to tell.
inline constexpr double kTooShortShare = 0.5;
inline constexpr uint64_t kTooShortBytes = 4 << 20;
inline constexpr uint64_t kTooShortSteps = 3;

// ---- lines

// A site without a cause must have held so much of what a leak needs to be grouped under its line.
inline constexpr uint64_t kSitePart = 8;
// Births in the later half; with fewer there is nothing to tell, and no symbol of a library is looked up.
inline constexpr double kFewestLate = 2;
// Live share of the births of two sites below which they are compared, and the difference between their counts.
inline constexpr double kPartlyAlive = 0.95;
inline constexpr double kSameCount = 0.05;
// Native memory that is at most one part in so many of the objects that own it.
inline constexpr uint64_t kLittlePart = 4;

// ---- garbage that waits for the collector

// Bytes, and one part in so many of the peak: less is a warning, or nothing.
inline constexpr uint64_t kLeastGarbage = 16 << 20;
inline constexpr uint64_t kLeastGarbagePart = 10;
// Blocks of one site that wait together, and births of it: it was made again and again.
inline constexpr uint64_t kFewestAtOnce = 4;
inline constexpr uint64_t kFewestBirths = 8;
// Lines that are told of it.
inline constexpr size_t kMostGarbageLines = 4;

// ---- pages that forked workers copy

inline constexpr uint64_t kLeastCopied = 16 << 20;
// Of what was copied, by objects of the container.
inline constexpr double kLeastExplained = 0.5;
inline constexpr uint32_t kFewestShared = 1000;
inline constexpr uint64_t kFewestWorkerSteps = 8;
// Sites of the worker with most births: its work.
inline constexpr size_t kMostWorkerSites = 64;
// Looks at which it rose, and the shares of a rise: less is noise, more is a burst.
inline constexpr uint64_t kFewestRises = 6;
inline constexpr double kLeastOfRise = 0.01;
inline constexpr double kMostOfRise = 0.5;
inline constexpr uint64_t kPageBytes = 4096;

}  // namespace tenure::analyze
