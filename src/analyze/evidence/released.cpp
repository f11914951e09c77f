#include "analyze/evidence/released.h"

#include <algorithm>

#include "analyze/evidence/rules.h"

namespace tenure::analyze {
namespace {

using ledger::Site;

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
Unit unit_of(const Units& units, const SiteEvidence& c, const Unit& growths) {
  if (growths.marks.empty() || c.site->last_tick > growths.marks.front().tick) return growths;
  for (const Unit& unit : units.around(c.site->stack, c.user_depth)) {
    if (unit.is_same(growths)) return growths;
  }
  return choose_unit(units, c, true).value_or(growths);
}

// Of samples that end in the order in which they were born.
struct Queue {
  double ended = 0;
  double oldest = 0;    // of these, born before the first survivors or beside them
  double rise = 0;      // bytes, over the last quarter of the births
  double variance = 0;  // of that, by chance alone: samples come and go

  void add(const SiteEvidence& c);
  bool is_in_order() const { return ended >= kPile && oldest >= kEndedInOrder * ended; }
  bool rose_for_certain() const {
    return rise > 0 && rise * rise >= kRoseForCertain * kRoseForCertain * variance;
  }
};

void Queue::add(const SiteEvidence& c) {
  double seen = 0, late = 0, gone = 0, births = std::max(1.0, c.history.births);
  bool is_old = true;
  // What went since the site held most is evidence too, unless main() let go of all of it.
  bool is_now = c.site->live_count && c.joined.empty();
  for (const Slice& slice : is_now ? slices_of(*c.site) : c.history.slices) {
    double ends = std::max(0.0, slice.births - slice.survivors);
    oldest += is_old ? ends : 0;
    gone += ends;
    is_old = is_old && slice.survivors == 0;
    late += seen >= kLastQuarter * births ? slice.births : 0;
    seen += slice.births;
  }
  ended += gone;
  if (auto risen = rise_of(c.history)) rise += risen->bytes;
  variance += (late + std::min(late, gone)) * std::max(0.0, c.site->total_variance) / births;
}

// What the line held at most before its oldest survivor was born: a buffer had been full by then.
double held_before(const std::vector<SiteEvidence>& members, Tick first_survivor) {
  double held = 0;
  for (const SiteEvidence& c : members) {
    double most = 0;
    for (const Slice& slice : c.history.slices)
      most = std::max(most, slice.to < first_survivor ? slice.high : 0);
    held += most;
  }
  return held;
}

}  // namespace

bool is_full_buffer_of_samples(const std::vector<SiteEvidence>& members) {
  Queue queue;
  for (const SiteEvidence& c : members) {
    if (c.history.is_ended) continue;
    if (!is_sampled(c)) return false;
    queue.add(c);
  }
  return queue.is_in_order() && !queue.rose_for_certain();
}

double released_bytes(const Units& units, const std::vector<SiteEvidence>& members,
                      const Unit& growths) {
  double bytes = 0;
  for (const SiteEvidence& c : members) {
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

bool has_only_newest(const std::vector<SiteEvidence>& members,
                     const std::vector<const SiteHistory*>& kept, const Unit& unit) {
  Tick first = ~Tick{0}, last = 0, first_survivor = ~Tick{0};
  for (const SiteEvidence& c : members) {
    first = std::min(first, c.site->first_tick);
    last = std::max(last, c.site->last_tick);
  }
  for (const SiteHistory* history : kept) {
    for (const Slice& slice : history->slices) {
      if (slice.survivors > 0) first_survivor = std::min(first_survivor, slice.from);
    }
  }
  if (first_survivor == ~Tick{0} || first_survivor <= first || last <= first) return false;
  double gone = 0, kept_bytes = 0;
  for (const SiteHistory* history : kept) kept_bytes += history->bytes;
  if (held_before(members, first_survivor) < kLittleBefore * kept_bytes) return false;
  for (const SiteEvidence& c : members) {
    for (const Slice& slice : c.history.slices)
      gone += slice.to < first_survivor ? slice.births : 0;
  }
  double began = unit.place_of(first);
  return gone >= 2 * kFewestSteps &&
         unit.place_of(first_survivor) - began > kNewest * (unit.place_of(last) - began);
}

}  // namespace tenure::analyze
