// analyze/evidence/rules.h: the thresholds of the evidence, each with its unit and its reason.
// World: offline. "Moved by" names the test that fails when the value moves.
#pragma once
#include <cstddef>
#include <cstdint>

#include "base/ids.h"

namespace tenure::analyze {

// Bytes from which on blocks are counted one by one, unless the governor has raised that.
inline constexpr uint32_t kLowestThreshold = 1024;

// Bytes a site must ever have held to be looked at: many small sites may have one cause.
inline constexpr uint64_t kLeastSiteBytes = 4 << 10;

// Distinct steps, births or samples: fewer may be warm-up, retries or one-off caches.
// Moved by: GrowthRules.EachShapeIsDecidedByItsRule
inline constexpr double kFewestSteps = 8;

// Sizes of one block that grows, the first and four more: fewer are a buffer that finds its size.
inline constexpr double kFewestOfBlock = 5;
// Pieces of an arena, and the factor from each to the next: with fewer or less it is a pile of blocks like any other.
// Moved by: GrowthRules.AnArenaOfEverBiggerPiecesIsOneBlock
inline constexpr double kFewestOfArena = 8;
inline constexpr double kLeastFactorOfArena = 1.25;
// Rounds of its loop for each size: then the loop was seen between them, too.
inline constexpr double kRoundsPerSize = 2;
// Beyond where the next size was due, as a factor: then it has stopped growing.
inline constexpr double kOverdue = 1.25;
// Of what a block would hold if it had grown in proportion to the steps: it may hold so much more or less.
inline constexpr double kOutOfProportion = 3;
// Of its last size: what it held before is too little to tell.
inline constexpr double kEarlySize = 0.125;
// Of its size, from one quarter of the births to the next: less is noise of the sizes.
inline constexpr double kLeastRiseOfQuarter = 1.05;
// Last quarter's mean size over the first's.
inline constexpr double kLeastRiseOfBlock = 1.5;
// Live blocks of such a site: two, and one more for every so many births.
inline constexpr uint64_t kBirthsPerLeftBlock = 20;
// Most the site held over the biggest block: then the old one was there while the new one was made from it.
inline constexpr double kOldAndNew = 1.5;

// Largest distance between the shares of steps and of growth, for growth to be regular along a unit.
inline constexpr double kMostIrregular = 0.35;
// Survivors over births, for a site that keeps nearly all that it makes.
inline constexpr double kMostlyKept = 0.8;
// Of its earlier survivors, from each quarter of its steps.
inline constexpr double kLeastOfQuarter = 0.1;
// Relative difference of two sizes: less is the same piece again.
inline constexpr double kAlikeSize = 0.1;

// ---- survivors of a site

// Of the most it ever held: a site that holds less has released what it had piled up.
inline constexpr double kFallen = 0.5;
// Of the most: what has gone since is no more than what was just in use.
inline constexpr double kStillHeld = 0.9;
// Of what is alive now, or was made.
inline constexpr double kGoodPart = 0.25;
// Of the rise that the survivors alone would make: less is not rising.
inline constexpr double kSteadyRise = 0.5;
// Of the births: the last quarter shows whether it still rises.
inline constexpr double kLastQuarter = 0.75;
// Slices a history needs to tell a rise; with fewer, this share of the births must be alive.
inline constexpr size_t kSlicesForRise = 4;
inline constexpr double kKeptOfFewBirths = 0.5;
// A backlog: so many parts of the births, of the most after half of them, and the rise over the last quarter.
inline constexpr size_t kBacklogParts = 8;
inline constexpr double kThinBacklog = 0.05;
inline constexpr double kBacklogHalfWay = 0.7;
inline constexpr double kBacklogLastRise = 0.15;

// ---- along the steps

// Parts of the later half that must have left survivors: fewer are bursts.
inline constexpr size_t kLateParts = 8;
// Survivors in one of those parts.
inline constexpr double kLeastOfPart = 0.5;
// Survivors: below that a quarter of the run is too little to measure the pace.
inline constexpr double kFewSurvivors = 32;
inline constexpr int kMostBins = 64;

// Moments at which the births of a line are laid along the axis, and steps that the whole axis has.
inline constexpr Tick kMarksOfBirths = 64;
inline constexpr uint64_t kStepsOfAxis = 1000;

// ---- the axis

// Of the axis: what is made later is made late.
inline constexpr double kHalf = 0.5;

// Of the most that the program's own work held, and in bytes: less is not worth a word.
inline constexpr double kLeastShareOfPeak = 0.01;
inline constexpr uint64_t kLeastBytes = 256 << 10;
// Of the axis: what is released when less is left of the run was held to its end.
// Moved by: GrowthRules.EachShapeIsDecidedByItsRule
inline constexpr double kReleasedAtEnd = 0.05;
// Of the time in which a site fell from 7/8 of its most to a half: as long it takes to release the other half.
inline constexpr double kRestOfRelease = 4.0 / 3;
// Births behind a release, in all and as a share, or work without any: then the program went on.
// Moved by: GrowthRules.EachShapeIsDecidedByItsRule
inline constexpr Tick kGoesOnBirths = 8;
inline constexpr double kGoesOnShare = 0.01;
inline constexpr double kGoesOnWork = 1.0 / 3;

// ---- what was released again

// Blocks at once, and steps: what is less was passing.
inline constexpr double kPile = 4;
// Of the births of a line: survivors only from behind it are its newest.
inline constexpr double kNewest = 0.6;
// Of what is kept: a line that held less before its oldest survivor had piled up nothing until then.
// Moved by: GrowthRules.EachShapeIsDecidedByItsRule
inline constexpr double kLittleBefore = 0.125;
// Of the samples that ended, those that are the oldest: then they end in the order in which they were born.
inline constexpr double kEndedInOrder = 0.8;
// Standard errors by which samples must have risen to have risen for certain.
inline constexpr double kRoseForCertain = 2.5;

// Of the shorter of two stretches: instructions of a line that both make blocks for so much of it do so in the same runs.
// Moved by: GrowthRules.InstructionsOfALineThatMakeBlocksTogetherAreOneRun
inline constexpr double kSameTime = 0.5;

// Rounds that were seen over samples of the line: from here on nearly every sample was the only one of its round, so that
// most rounds had none.
// Moved by: GrowthRules.RoundsThatOnlySamplesShowAreNotTheUnit
inline constexpr double kSampleAlone = 0.8;

// Bytes that a library keeps in threads of its own before each of its blocks counts as a run: less are its own tables.
inline constexpr double kLeastOfLibrary = 4 << 20;

// Blocks for each round that a loop was seen to make: up to so many, rounds were missed; more are made in one round.
// Moved by: GrowthRules.ALoopThatWasNotAlwaysSeenLeavesItToTheLine
inline constexpr double kMissedRounds = 4;

}  // namespace tenure::analyze
