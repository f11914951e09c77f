// analyze/survivors.h: the blocks of a site that are still alive, by when they were born: the evidence for growth.
// World: offline. Pure functions: a site in, a history out.
#pragma once
#include <optional>
#include <vector>

#include "ledger/layout.h"

namespace tenure::analyze {

// Births of one stretch of a site's life.
struct Slice {
  Tick from = 0, to = 0;  // ticks of the births in it
  double births = 0;
  double survivors = 0;
  double bytes = 0;  // of the survivors
  double born_bytes = 0;
  double high = 0;  // most the site held meanwhile
};

// A site's survivors at the moment that is judged: now, or when it held most if that was just before the end.
struct History {
  std::vector<Slice> slices;
  double bytes = 0;  // alive at the judged moment
  double survivors = 0;
  double births = 0;
  bool is_ended = false;  // its blocks were freed while the program went on
};

// `held_until`: what was still held at this tick was held to the end, as main() holds what it returns with; unless all of
// it had been freed before `worked_until`.
History history_of(const ledger::Site& site, Tick held_until, Tick worked_until);

// As it is at the end of the run, whatever moment is judged.
std::vector<Slice> slices_of(const ledger::Site& site);

// When the birth of this number was, those of a slice being spread evenly in it.
Tick born_at(const std::vector<Slice>& slices, double ordinal);

double survivors_born_after(const History& history, Tick tick);
double births_after(const History& history, Tick tick);

// Whether the site once held a good part of this before its oldest survivor was born: then it lets go from time to time.
bool has_let_go(const History& history);

// How far the site's live bytes rose over the last quarter of its births, and how far its survivors alone would have made
// them rise. Nothing is known of a site with a handful of births.
struct Rise {
  double bytes = 0;
  double expected = 0;
  bool is_steady() const { return expected > 0 && bytes >= 0.5 * expected; }
};
std::optional<Rise> rise_of(const History& history);

// Its rise is steady; or, with a handful of births, most are alive.
bool is_still_rising(const History& history);

// Whether ever more of it waits at once although the oldest go, as in a queue that is filled faster than it is emptied:
// what it held rose all along, and a good part of what was made is there.
bool is_backlog(const History& history);

// Mean block size over four quarters of the births; empty below 8 births.
std::vector<double> sizes_by_quarter(const History& history);

}  // namespace tenure::analyze
