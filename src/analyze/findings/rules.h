// analyze/findings/rules.h: how much is told, and how sure it is, each with its unit and its reason.
// World: offline. "Moved by" names the test that fails when the value moves.
#pragma once
#include <cstddef>

namespace tenure::analyze {

// Lines of one finding that made it.
// Moved by: FindingRules.ALeakHasFourLinesAndTwoCallersOfTheFirst
inline constexpr size_t kMostPlaces = 4;
// Callers of the first of them.
// Moved by: FindingRules.ALeakHasFourLinesAndTwoCallersOfTheFirst
inline constexpr size_t kMostCallers = 2;

// Blocks that a line left in a pile of small objects: fewer are tables of their containers.
// Moved by: FindingRules.ALineThatLeftBlocksMadeTheSmallObjects
inline constexpr double kFewestMade = 8;

// Memory that will be full after at most so many times the steps that were seen is worth telling.
// Moved by: FindingRules.ALeakTellsWhenMemoryWillBeFull
inline constexpr double kStepsTillFull = 20;

// ---- confidence of a finding, from 0 to 1

// A leak whose blocks were all counted, once many survive.
// Moved by: FindingRules.GrowthIsAsSureAsItsSurvivorsAreMany
inline constexpr double kSureOfLeak = 0.95;
// A leak of sampled blocks, once many survive.
// Moved by: FindingRules.GrowthIsAsSureAsItsSurvivorsAreMany
inline constexpr double kSureOfSamples = 0.8;
// Survivors by which a leak comes to 63 % of that.
// Moved by: FindingRules.GrowthIsAsSureAsItsSurvivorsAreMany
inline constexpr double kSurvivorsForSurety = 8;
// Growth that something speaks against.
// Moved by: FindingRules.GrowthIsAsSureAsItsSurvivorsAreMany
inline constexpr double kSureOfSuspicion = 0.4;
// Growth over too few steps.
// Moved by: FindingRules.GrowthIsAsSureAsItsSurvivorsAreMany
inline constexpr double kSureOfShort = 0.3;
// Garbage that a snapshot saw waiting.
// Moved by: FindingRules.WhatWasSeenToHappenIsSure
inline constexpr double kSureOfGarbage = 0.85;
// Pages that a worker was seen to copy.
// Moved by: FindingRules.WhatWasSeenToHappenIsSure
inline constexpr double kSureOfCopies = 0.9;
// A death for lack of memory.
// Moved by: FindingRules.WhatWasSeenToHappenIsSure
inline constexpr double kSureOfDeath = 0.9;
// A lifetime error that ended what the program did.
// Moved by: FindingRules.WhatWasSeenToHappenIsSure
inline constexpr double kSureOfError = 0.95;
// One that the program caught, or went on after.
// Moved by: FindingRules.WhatWasSeenToHappenIsSure
inline constexpr double kSureOfCaughtError = 0.6;

// Of the peak: what grew and is no leak is told from here on; what has a limit is told earlier, since it will grow on.
// Moved by: LeakTest.NotesTellWhatIsMuchBesideThePeak
inline constexpr double kLeastOfNote = 0.1;
// Moved by: LeakTest.NotesTellWhatIsMuchBesideThePeak
inline constexpr double kLeastOfBounded = 0.01;

// Of the steps that account for all of a growth at its pace: as many as were seen, but for this part.
// Moved by: FindingRules.StepsBeforeTheFirstAdditionAreNotTold
inline constexpr double kStepsApart = 0.1;

}  // namespace tenure::analyze
