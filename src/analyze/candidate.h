// analyze/candidate.h: one site that may be growing, and what its births and survivors alone say of it.
// World: offline. Pure functions over a ledger's sites.
#pragma once
#include "analyze/causes.h"
#include "analyze/frames.h"
#include "analyze/survivors.h"
#include "analyze/units.h"

namespace tenure::analyze {

// What a leak needs: docs/decisions/0003-leak-test.md.
inline constexpr double kFewestSteps = 8;     // distinct, in the later half, that left survivors
inline constexpr double kFewestOfBlock = 16;  // sizes of one that grows

struct Candidate {
  SiteId id;
  const ledger::Site* site;
  History history;
  const ReadableFrame* user;  // the line it is told under
  uint32_t user_depth;
  std::optional<Causes::Match> cause;
};

double bytes_of_one(const Candidate& c);
double relative_error(const ledger::Site& site);
bool is_sampled(const Candidate& c);

// The outermost loop of the user's own that came round often enough to judge by; else what else was counted. A block that
// grows in no loop of the user's is one that a single call fills: a list, a text, a file that is read.
std::optional<Unit> choose_unit(const Units& units, const Candidate& c, bool is_block);

// One block at a time, or few, each bigger than the one before.
bool is_replaced_by_bigger(const Candidate& c);
bool is_growing_block(const Candidate& c);

// Made early only, as a library makes what it needs from then on. Samples and arenas are not all that was made.
bool is_warm_up(const Candidate& c, Tick half);

// A few samples of one site rise and fall by chance; those of all sites of a line together tell.
bool is_sample_rising(const std::vector<Candidate>& members);

// `unit`: the steps of the cause.
bool is_part_of_cause(const History& history, const Unit& unit);

// Beside such a site, what was made early only is what the first steps needed: a workspace, a cache, folded constants.
bool makes_step_by_step(const Candidate& c);

// A site that leaves something in every step, and the steps it does so in.
struct Stepper {
  const Candidate* site;
  Unit unit;
};

// What came in several steps, or in the same pieces, may be growth that took another way later.
bool is_of_one_step(const Candidate& c, const Stepper& stepper);

}  // namespace tenure::analyze
