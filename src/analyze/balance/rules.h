// analyze/balance/rules.h: the thresholds of the verdict, each with its unit and its reason.
// World: offline. "Moved by" names the test that fails when the value moves.
#pragma once
#include <cstddef>
#include <cstdint>

namespace tenure::analyze {

// Steps a program that was cut off must have shown to be called clean.
// Moved by: Verdict.ACutOffRunNeedsEightStepsToBeClean
inline constexpr uint64_t kStepsToBeClean = 8;

// Resident memory that is in nothing we know of: bytes, and share of all that is resident. Asked only of a process that was
// looked at too few times to see whether it grew; `python3 bench/unseen.py` prints what clean programs have.
// Moved by: Verdict.MemoryThatNobodySawIsUnknown
inline constexpr uint64_t kLeastUnseen = 64 << 20;
inline constexpr double kMostUnseenShare = 0.25;

// Growth of such memory along the run: bytes, and share of what was resident. Above what clean programs show, whose pools,
// thread stacks and fragments settle (`python3 bench/unseen.py`).
// Moved by: UnseenGrowth.LittleGrowthIsNone
inline constexpr uint64_t kLeastUnseenGrowth = 24 << 20;
inline constexpr double kLeastUnseenGrowthShare = 0.05;

// Looks at a process between the first growth and the last, so that a few jumps are no pace.
// Moved by: UnseenGrowth.AFewLooksTellNothing
inline constexpr size_t kLooksToTell = 8;

// What is given back in the last part of the axis is given back by the end of the program.
// Moved by: UnseenGrowth.WhatIsReleasedAtTheEndWasHeld
inline constexpr double kEndOfAxis = 0.95;

// Shares of the growth: what may come before the phase begins; what the later half of the phase must add (a pool that warms
// up adds ever less); what the last third of the axis must add (else it was loaded, and stayed).
// Moved by: UnseenGrowth.LoadingAndWarmingUpAreNoGrowth
inline constexpr double kBeforePhase = 0.05;
inline constexpr double kLaterHalfShare = 0.25;
inline constexpr double kLastThirdShare = 0.08;
inline constexpr double kTwoThirds = 2.0 / 3;

// Looks of the phase that saw more than the one before, and how far from an even pace any of them may be, as a share of the
// growth: a few tables that are loaded one after the other are no pace.
// Moved by: UnseenGrowth.OneJumpIsNoGrowth
inline constexpr size_t kLooksThatSawMore = 5;
inline constexpr double kMostUneven = 0.35;

// Of the growth: what had been there before the phase, and was given back.
// Moved by: UnseenGrowth.WhatFallsBackIsNotKept
inline constexpr double kMostBefore = 0.5;

// Two looks that are so far apart on the axis, as on a busy machine, and between which more than this share came, cannot tell
// growth from a jump.
// Moved by: UnseenGrowth.NobodyLookedWhileItGrew
inline constexpr double kBlindGap = 0.25;
inline constexpr double kMostInBlindGap = 0.5;

// Blocks that are estimated take more than was asked for: libc's heads and rounding.
// Moved by: UnseenGrowth.RoundingOfSmallBlocksIsNoGrowth
inline constexpr double kRoundingOfSmall = 0.5;

// Of what all processes held together: with less a process is not told as one of those that held it.
// Moved by: Processes.OnlyThoseThatHeldSomeAreCounted
inline constexpr double kShareOfJointPeak = 0.05;

// Births of a line while such memory grew, so that it ran all along.
// Moved by: UnseenGrowth.TheLineThatRanAllAlongIsNamed
inline constexpr uint64_t kBirthsAllAlong = 8;

}  // namespace tenure::analyze
