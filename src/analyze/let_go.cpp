#include "analyze/let_go.h"

#include <algorithm>

namespace tenure::analyze {
namespace {

using ledger::Site;

constexpr double kPile = 4;  // blocks at once, and steps: what is less was passing
constexpr double kNewest =
    0.6;  // of the births of a line: survivors only from behind it are its newest

// Whether what it held at its most was made over several steps. One step alone makes a workspace, or folds constants.
bool was_piled_up(const Site& site, const Unit& unit) {
  const ledger::FrozenBuckets& most = site.frozen;
  if (unit.steps == 0 || most.bytes == 0) return true;
  uint32_t first = 0;
  while (first < ledger::kBuckets - 1 && most.live_count[first] == 0) ++first;
  uint32_t finer = site.shift >= most.shift ? site.shift - most.shift : 0;
  Tick from = site.buckets[first >> finer].first_tick;
  return unit.count_at(most.tick) - unit.count_at(from) >= kPile;
}

// The steps a site was made in: those of the growth, or of its own loop where that was over before the growth's began,
// as loops of other threads are, or of another caller.
Unit unit_of(const Units& units, const Candidate& c, const Unit& growths) {
  if (growths.marks.empty() || c.site->last_tick > growths.marks.front().tick) return growths;
  for (const Unit& unit : units.around(c.site->stack, c.user_depth)) {
    if (unit.is_same(growths)) return growths;
  }
  return choose_unit(units, c, true).value_or(growths);
}

}  // namespace

double let_go_bytes(const Units& units, const std::vector<Candidate>& members,
                    const Unit& growths) {
  double bytes = 0;
  for (const Candidate& c : members) {
    if (!c.history.is_ended) continue;
    Unit unit = unit_of(units, c, growths);
    auto most = static_cast<double>(c.site->max_live_bytes);
    auto total = static_cast<double>(c.site->total_bytes);
    double of_step = total / std::max(1.0, static_cast<double>(unit.steps));
    bool is_pile = most >= kPile * std::max(bytes_of_one(c), of_step);
    if (is_pile && was_piled_up(*c.site, unit)) bytes += most;
  }
  return bytes;
}

bool has_only_newest(const std::vector<Candidate>& members, const std::vector<const History*>& kept,
                     const Unit& unit) {
  Tick first = ~Tick{0}, last = 0, first_survivor = ~Tick{0};
  for (const Candidate& c : members) {
    first = std::min(first, c.site->first_tick);
    last = std::max(last, c.site->last_tick);
  }
  for (const History* history : kept) {
    for (const Slice& slice : history->slices) {
      if (slice.survivors > 0) first_survivor = std::min(first_survivor, slice.from);
    }
  }
  if (first_survivor == ~Tick{0} || first_survivor <= first || last <= first) return false;
  double gone = 0;
  for (const Candidate& c : members) {
    for (const Slice& slice : c.history.slices)
      gone += slice.to < first_survivor ? slice.births : 0;
  }
  double began = unit.place_of(first);
  return gone >= 2 * kFewestSteps &&
         unit.place_of(first_survivor) - began > kNewest * (unit.place_of(last) - began);
}

}  // namespace tenure::analyze
