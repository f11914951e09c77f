// analyze/evidence/site_history.h: the blocks of a site that are still alive, by when they were born: the evidence for growth.
// World: offline. Pure functions: a site in, a history out.
#pragma once
#include <optional>
#include <vector>

#include "analyze/evidence/run_axis.h"
#include "ledger/layout.h"

namespace tenure::analyze {

// Births of one stretch of a site's life.
struct Slice {
  Tick from = 0, to = 0;  // ticks of the births in it
  double births = 0;
  double survivors = 0;
  double bytes = 0;  // of the survivors
  double born_bytes = 0;
  double high =
      0;  // most the site held meanwhile; of samples: with the blocks of the same stack that were counted
};

// A site's survivors at the moment that is judged: now, or when it held most if that was just before the end.
struct SiteHistory {
  std::vector<Slice> slices;
  double bytes = 0;  // alive at the judged moment
  double survivors = 0;
  double births = 0;
  bool is_ended = false;       // its blocks were freed while the program went on
  std::vector<Slice> at_most;  // of one that is ended: its blocks when it held most
  Tick last_birth = 0;         // of a block that survives, as far as slices tell
  double times_empty = 0;      // it was without a block between two births, resizes apart
};

// What was released near the end of the run was held to the end, as main() holds what it returns with: then the blocks of
// the moment are judged at which the site held most.
SiteHistory history_of(const ledger::Site& site, const RunAxis& axis);

// One history of the blocks of a line that were counted and of those that were sampled. `blocks_per_sample`: each holds
// as much as so many counted ones. Samples know what both held: what counted blocks lost before the last sample is taken from the oldest.
SiteHistory join_samples(const SiteHistory& counted, const SiteHistory& sampled,
                         double blocks_per_sample);

// One history of the blocks of two sites whose blocks came and went together.
SiteHistory join_histories(const SiteHistory& a, const SiteHistory& b);

// As it is at the end of the run, whatever moment is judged.
std::vector<Slice> slices_of(const ledger::Site& site);

// When the birth of this number was, those of a slice being spread evenly in it.
Tick born_at(const std::vector<Slice>& slices, double ordinal);

// The sums over the slices.
void sum_up(SiteHistory& history);

double survivors_born_after(const SiteHistory& history, Tick tick);
double births_after(const SiteHistory& history, Tick tick);

// Whether the site once held a good part of this before its oldest survivor was born: then it lets go from time to time.
bool has_released(const SiteHistory& history);

// How far the site's live bytes rose over the last quarter of its births, and how far its survivors alone would have made
// them rise. Nothing is known of a site with a handful of births.
struct Rise {
  double bytes = 0;
  double expected = 0;
  bool is_steady() const;
};
std::optional<Rise> rise_of(const SiteHistory& history);

// Its rise is steady; or, with a handful of births, most are alive.
bool is_still_rising(const SiteHistory& history);

// Whether ever more of it waits at once although the oldest go, as in a queue that is filled faster than it is emptied:
// what it held rose all along, and a good part of what was made is there.
bool is_backlog(const SiteHistory& history);

// Mean block size over four quarters of the births; empty below 8 births.
std::vector<double> sizes_by_quarter(const SiteHistory& history);

}  // namespace tenure::analyze
