// analyze/evidence/site_evidence.h: one site that may be growing, and what its births and survivors alone say of it.
// World: offline. Pure functions over a ledger's sites.
#pragma once
#include "analyze/evidence/site_history.h"
#include "analyze/run/frames.h"
#include "analyze/run/units.h"
#include "bytecode/program.h"

namespace tenure::analyze {

struct SiteEvidence {
  SiteId id;
  const ledger::Site* site;
  SiteHistory history;
  std::vector<SiteId> joined;           // other sites whose blocks are counted here too
  const ReadableFrame* user = nullptr;  // the line it is told under
  uint32_t user_depth = 0;
};

double bytes_of_one(const SiteEvidence& c);
double relative_error(const ledger::Site& site);
bool is_sampled(const SiteEvidence& c);
bool is_estimate(const SiteEvidence& c);  // its blocks were sampled, or some of them

// Whether the steps are a count and no estimate: somebody counted them by name, or as many blocks were made at the line, or
// a whole multiple.
bool is_confirmed(const Units& units, const Unit& unit, const std::vector<SiteEvidence>& members);

// The outermost loop of the user's own that came round often enough to judge by; else what else was counted. A block that
// grows in no loop of the user's is one that a single call fills: a list, a text, a file that is read.
std::optional<Unit> choose_unit(const Units& units, const SiteEvidence& c, bool is_block);

// The unit, with the rounds that were in doubt where the line ran so often, and in each of the others not equally often.
Unit with_doubtful_rounds(const Units& units, Unit unit, const std::vector<SiteEvidence>& members);

// The unit, or the runs of the line in its place: where nothing but samples shows a native loop, and each of them another round
// of it, most of its rounds were not seen.
Unit with_unseen_rounds(const Frames& frames, const Units& units, Unit unit,
                        const std::vector<SiteEvidence>& members);

// Where no loop or step of the user's or of a framework's tells how often a line ran: as often as it made a block, laid
// along the axis; provided that something runs it again and again. Nothing: it may have run once, and called something that
// makes many blocks.
std::optional<Unit> unit_by_births(Frames& frames, const Units& units, const RunAxis& axis,
                                   const SiteEvidence& c, const std::vector<SiteEvidence>& members);

// The same for a line that was reached in many ways, as by recursion: each way is a run of its own, at least.
std::optional<Unit> unit_by_callers(Frames& frames, const Units& units, const RunAxis& axis,
                                    const std::vector<SiteEvidence>& members);

// One block at a time, or few, each bigger than the one before.
bool is_replaced_by_bigger(const SiteEvidence& c);

// What the program's code does with the value that such a block holds, as far as it is known.
enum class Derivation {
  unknown,
  anew,           // a variable gets it that nothing of it was made from
  from_old,       // made from the value that its variable had: `x = f(x)`
  carried_round,  // so is every value that the variable gets in its loop
  carried_by_caller,  // a variable of the function gets it anew, and one of its caller's is carried round
};
Derivation derivation_of(Frames& frames, const bytecode::Program& program, const SiteEvidence& c);
// `times_empty`: how often nothing was left of all such blocks of its line; a block that lives on leaves none.
bool is_growing_block(const SiteEvidence& c, Derivation value, double times_empty);

// An arena that takes a bigger piece whenever it is full, and keeps them all: one block, in pieces.
bool is_growing_arena(const SiteEvidence& c);

// How a block that grows does so along the steps of its loop.
struct BlockGrowth {
  bool is_followed = false;       // its loop was seen between its sizes, too; else the axis serves
  bool is_in_proportion = false;  // to the steps: else it grows ever more slowly, or did so at once
  bool is_due = false;  // no more steps have come than it has room for: it may be growing still
  double bytes = 0;     // from its first size to what is in it at last, between its last two sizes
};
BlockGrowth block_growth(const SiteEvidence& c, const Unit& loop, const RunAxis& axis);

// Made early only, as a library makes what it needs from then on. Arenas are not all that was made, nor are a few samples.
bool is_warm_up(const SiteEvidence& c, Tick half);

// A few samples of one site rise and fall by chance; those of all sites of a line together tell.
bool is_sample_rising(const std::vector<SiteEvidence>& members);

// `unit`: the steps of the cause.
bool is_part_of_cause(const SiteHistory& history, const Unit& unit);

// Beside such a site, what was made early only is what the first steps needed: a workspace, a cache, folded constants.
bool makes_step_by_step(const SiteEvidence& c);

// A site that leaves something in every step, and the steps it does so in.
struct Stepper {
  const SiteEvidence* site;
  Unit unit;
};

// What came in several steps, or in the same pieces, may be growth that took another way later.
bool is_of_one_step(const SiteEvidence& c, const Stepper& stepper);

}  // namespace tenure::analyze
