// analyze/heap/rules.h: the thresholds of holders and heap graphs, each with its unit and its reason.
// World: offline. "Moved by" names the test that fails when the value moves.
#pragma once
#include <cstddef>
#include <cstdint>

namespace tenure::analyze {

// ---- which snapshot is asked about a growth: the share of its bytes that it has

// Enough whoever holds it.
// Moved by: HeapRules.TheLessASnapshotHasOfAGrowthTheMoreOneHolderMustHaveOfIt
inline constexpr double kHalfSeen = 0.5;
// Enough where it has a name.
// Moved by: HeapRules.TheLessASnapshotHasOfAGrowthTheMoreOneHolderMustHaveOfIt
inline constexpr double kTenthSeen = 0.1;
// Seen when it had just begun: enough where one holder has most of it.
// Moved by: HeapRules.TheLessASnapshotHasOfAGrowthTheMoreOneHolderMustHaveOfIt
inline constexpr double kEarlySeen = 0.02;
// The same in a short run of many steps: its first blocks, enough where one container has nearly all of them.
// Moved by: HeapRules.TheLessASnapshotHasOfAGrowthTheMoreOneHolderMustHaveOfIt
inline constexpr double kFirstSeen = 0.002;
// Blocks that are enough whatever their share.
// Moved by: HeapRules.EightBlocksOfAnObjectOrFourOfAListExplainAGrowth
inline constexpr size_t kFewestBlocks = 8;
// Blocks, where they are of as many steps, or nearly all in one container.
// Moved by: HeapRules.EightBlocksOfAnObjectOrFourOfAListExplainAGrowth
inline constexpr size_t kFewestItems = 4;

// Of the bytes of a growth: then one container holds nearly all of it, or a bound nearly all.
// Moved by: HeapRules.AListWithThreeQuartersHasNearlyAll
inline constexpr double kNearlyAllHeld = 0.75;
// Of the objects that piled up.
// Moved by: HeapRules.ThreeQuartersOfTheObjectsOfACauseAreNearlyAll
inline constexpr double kNearlyAllObjects = 0.75;
// Objects of one cause: fewer are no pile.
// Moved by: HeapRules.ThreeObjectsOfACauseAreAPile
inline constexpr size_t kFewestObjects = 3;
// Of the blocks of a growth, in a look at the program while it ran: so many were garbage even then, whatever has a name.
// Moved by: Explain.WhatWasGarbageWhileTheProgramRanHasNoName
inline constexpr double kWaitedEvenThen = 0.25;
// Groups of garbage: one alone may be what main() held until it returned.
// Moved by: HeapRules.FourGroupsOfGarbagePileUp
inline constexpr size_t kFewestGroups = 4;
// Instances of a class that waits for the collector: fewer may be what main() held until it returned.
// Moved by: HeapRules.NativeMemoryBelongsToGarbageThatIsManyAndWentAtTheEnd
inline constexpr uint64_t kFewestWaiting = 4;
// Of a growth: smaller holders are not told.
// Moved by: HeapRules.HoldersOfAFiftiethOfAGrowthAreTold
inline constexpr double kLeastShareOfGrowth = 0.02;
// Of everything alive, in the list of all holders.
// Moved by: HeapRules.HoldersOfOneInTwoHundredBytesAreListed
inline constexpr double kLeastShareOfAll = 0.005;
// One part in so many of what grew may be left at the end, in use by the last step.
// Moved by: HeapRules.NativeMemoryBelongsToGarbageThatIsManyAndWentAtTheEnd
inline constexpr uint64_t kPartLeftAtEnd = 4;
// Steps for which one object waits: the others were young enough to be collected.
// Moved by: HeapRules.NativeMemoryBelongsToGarbageThatIsManyAndWentAtTheEnd
inline constexpr uint64_t kStepsPerWaitingObject = 4;

// ---- from the blocks up to what they hang from

// Of the bytes: then the way goes on through that child.
// Moved by: HeapRules.AnItemWithThreeQuartersIsTheHolder
inline constexpr double kMostOfBytes = 0.75;
// Blocks asked for the names that hold them: more take too long.
// Moved by: HeapRules.TwoThousandBlocksAreAskedForTheirNames
inline constexpr size_t kMostSampled = 2000;
// Referrers looked at for one of them: more take too long.
// Moved by: HeapRules.ANameIsLookedForAmongFiveThousandReferrers
inline constexpr size_t kMostReferrers = 5000;
// Names of one of them: more are not told.
// Moved by: HeapRules.EightNamesOfABlockAreTold
inline constexpr size_t kMostNames = 8;
// Objects of one type that each fill the same attribute: more are told by what holds them all.
// Moved by: HeapRules.UpToSixteenObjectsWithFourBlocksEachAreToldByTheirAttribute
inline constexpr size_t kMostAlike = 16;
// Blocks in each of them.
// Moved by: HeapRules.UpToSixteenObjectsWithFourBlocksEachAreToldByTheirAttribute
inline constexpr size_t kFewestEach = 4;
// The same reference as often in a row is a chain.
// Moved by: HeapRules.TheSameReferenceFourTimesInARowIsAChain
inline constexpr size_t kLongestRepeat = 4;
// A set of names that holds less than one in so many of the bytes is told by what its names are called.
// Moved by: HeapRules.FourSetsOfHoldersAreToldOneByOneAndMoreByWhatTheyAreCalled
inline constexpr uint64_t kFineSetPart = 4;
// Blocks whose common container is looked for: ways are long.
// Moved by: CommonContainer.IsLookedForAbove512Blocks
inline constexpr size_t kMostAsked = 512;
// Items of such a container.
// Moved by: CommonContainer.HasFourItemsOrMore
inline constexpr size_t kFewestInCommon = 4;

// ---- views

// A block is kept by views where they show at most one part in so many of it: a copy of that is worth its price.
// Moved by: SmallViews.OfAQuarterOrLessOfABlockAreTold
inline constexpr uint64_t kLeastOfViews = 4;
// Views of one block that are looked at: more take too long.
// Moved by: SmallViews.OfOneBlockAreLookedAtUpToTwoHundred
inline constexpr size_t kMostViews = 200;

// ---- tables of containers that grow

// Bytes of a table: 2048 items of a list.
// Moved by: HeapRules.ATableGrowsToTwiceItsSizeAndWithItsObjects
inline constexpr uint64_t kSmallestTable = 16 << 10;
// Bytes of objects for one byte of the table.
// Moved by: HeapRules.ATableGrowsToTwiceItsSizeAndWithItsObjects
inline constexpr uint64_t kMostOfOneItem = 256;
// Of its last size to its first.
// Moved by: HeapRules.ATableGrowsToTwiceItsSizeAndWithItsObjects
inline constexpr uint64_t kLeastTableRatio = 2;

// ---- the shortest way that people would name

// How far a root is from what people call their program, in the price of references: a library's module or frame.
// Moved by: HeapRules.RootsBehindWhichNobodyLooksAreFar
inline constexpr uint32_t kFarRoot = 24;
// Native code.
// Moved by: HeapRules.RootsBehindWhichNobodyLooksAreFar
inline constexpr uint32_t kNativeRoot = 48;
// Garbage; nothing costs more.
// Moved by: HeapRules.RootsBehindWhichNobodyLooksAreFar
inline constexpr uint32_t kGarbageRoot = 56;
// Nodes looked at for the way between two: more take too long.
// Moved by: HeapRules.AWayIsLookedForAmongTwentyThousandNodes
inline constexpr size_t kMostOfWay = 20000;

// ---- lines that fill a holder

// Names of one container that are followed through the code.
// Moved by: StoringLineTest.IsFoundUnderEightNamesAndNotGuessedUnderMore
inline constexpr size_t kMostNamesFollowed = 8;

// Clues that speak for a call that gives something to a library, of three.
// Moved by: LibraryCallTest.NeedsTwoOfThreeClues
inline constexpr size_t kFewestClues = 2;

// ---- names

// Characters of a dotted name in a holder's sentence.
// Moved by: HeapRules.NamesOfSixtyCharactersAreTold
inline constexpr size_t kLongestName = 60;
// Characters of the parts of a cycle.
// Moved by: HeapRules.PartsOfACycleAreToldInAHundredCharacters
inline constexpr size_t kLongestCycle = 100;

}  // namespace tenure::analyze
