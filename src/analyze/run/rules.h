// analyze/run/rules.h: the thresholds of reading a run, each with its unit and its reason.
// World: offline. "Moved by" names the test that fails when the value moves.
#pragma once
#include <cstdint>

namespace tenure::analyze {

// Bytes at the peak of a process that does something itself, and does not only wait for another.
// Moved by: RunRules.AProcessBelowAMebibyteOnlyWaitsForAnother
inline constexpr uint64_t kSmallestPeak = 1 << 20;

// Moves backwards in a library's function: below that it is not worth disassembling.
// Moved by: RunRules.FourMovesInALibraryAreWorthDisassembling
inline constexpr uint64_t kFewestNativeMoves = 4;

// ---- rounds of loops that do not count

// Quiet moves that make certain.
// Moved by: RunRules.RepeatsAreRoundsWhereLittleElseTells
inline constexpr uint64_t kQuietRounds = 8;
// Repeats for each certain round: fewer are blocks of one round.
// Moved by: RunRules.RepeatsAreRoundsWhereLittleElseTells
inline constexpr uint64_t kRepeatsPerRound = 8;
// One repeat in so many asks for the same size: in fewer the sizes vary from round to round.
// Moved by: RunRules.RepeatsAreRoundsWhereLittleElseTells
inline constexpr uint64_t kExactRepeatPart = 4;

// Of one processor: a program that uses less only waits.
// Moved by: Activity.WaitingIsNoProgress
inline constexpr double kLeastBusyShare = 0.05;

// Processor time that exit handlers, destructors and our own last look may take, in nanoseconds.
// Moved by: Activity.TheEndOfAProgramIsNoWork
inline constexpr uint64_t kExitCpuNs = 20'000'000;
// Of the time from when a site of a native program had lost an eighth to the end: so long it took in all.
// Moved by: Activity.WhatANativeProgramFreesAtItsEndIsNoWork
inline constexpr double kRestOfExit = 8.0 / 7;
// What it takes where nothing was freed behind the last birth.
// Moved by: Activity.ANativeProgramThatFreesNothingEndsAtOnce
inline constexpr uint64_t kLeastExitCpuNs = 2'000'000;

// ---- the loop that a run is told by

// Rounds from which on something repeats, and is not only done a few times.
// Moved by: RunRules.EightRoundsAreALoop
inline constexpr uint64_t kRoundsOfALoop = 8;
// One part in so many of the widest loop: an outer one that leaves out no more covers nearly as much.
// Moved by: RunRules.AnOuterLoopThatLeavesOutAFifthCoversNearlyAsMuch
inline constexpr uint64_t kUncoveredPart = 5;

}  // namespace tenure::analyze
