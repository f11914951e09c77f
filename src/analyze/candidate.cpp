#include "analyze/candidate.h"

#include <algorithm>
#include <cmath>

#include "analyze/source_line.h"

namespace tenure::analyze {
namespace {

using ledger::BlockKind;
using ledger::Site;

constexpr double kLeastOfQuarter = 0.1;  // of its earlier survivors, from each quarter of its steps
constexpr double kOldAndNew = 1.5;       // of the biggest block: two of them at once
constexpr double kAlike = 0.1;           // of a size: less is the same piece again

// Growth along a unit is regular when what grows and the steps go together from the first to the end: survivors, or the
// births of a block that is replaced by bigger ones.
bool is_regular(const History& history, const Unit& unit, double Slice::* what) {
  double first = -1, last = 0, seen = 0, worst = 0, all = 0;
  for (const Slice& slice : history.slices) {
    all += slice.*what;
    if (slice.*what <= 0) continue;
    if (first < 0) first = unit.count_at(slice.from);
    last = std::max(last, unit.count_at(slice.to));
  }
  if (last - first < 1) return false;
  for (const Slice& slice : history.slices) {
    double steps = (unit.count_at(slice.from) - first) / (last - first);
    worst = std::max(worst, std::abs(seen / all - steps));
    seen += slice.*what;
  }
  // A birth is known to within one step, which is a good part of only a few.
  double slack = unit.steps < kFewestSteps ? 1 / static_cast<double>(unit.steps) : 0;
  return worst < 0.35 + slack;
}

// One of many sites with one cause may have too few samples to show how it rises.
bool is_mostly_kept(const History& history) {
  return history.survivors > 0 && history.survivors >= 0.8 * history.births;
}

// Survivors from all along its steps, beside passing blocks that hide how it rises. Not by births: what works on all that
// is there already makes more of them in each step. Much of the last quarter may be what the last step worked with.
bool is_kept_all_along(const History& history, const Unit& unit) {
  if (history.slices.empty()) return false;
  double first = unit.place_of(history.slices.front().from);
  double last = unit.place_of(history.slices.back().to);
  double quarters[4] = {};
  for (const Slice& slice : history.slices) {
    double middle = unit.place_of(slice.from + (slice.to - slice.from) / 2) - first;
    double part = std::clamp(4 * middle / std::max(1.0, last - first), 0.0, 3.0);
    quarters[static_cast<size_t>(part)] += slice.survivors;
  }
  double early = quarters[0] + quarters[1] + quarters[2];
  return early >= kFewestSteps &&
         *std::min_element(quarters, quarters + 4) >= kLeastOfQuarter * early;
}

// A buffer that every call begins and gives up again is resized as often, and as big as the call's work.
bool lives_on_resized(const Site& site) {
  uint64_t others = site.resizes + site.live_count;
  double given_up = others < site.births ? static_cast<double>(site.births - others) : 0;
  return site.resizes * 2 > site.births && given_up < kFewestSteps;
}

// The old block is still there while the new one is made of it.
bool lives_on_copied(const Site& site) {
  return static_cast<double>(site.max_live_bytes) >= kOldAndNew * static_cast<double>(site.largest);
}

// A framework calls the function with the loop in each of its steps, and the loop does not see all of them: its iterator
// says no more than which round of the call it is.
bool is_within_steps(const Unit& loop, const std::optional<Unit>& frameworks, const Candidate& c) {
  return loop.is_called_back && frameworks && loop.steps < frameworks->steps &&
         2 * c.history.births >= static_cast<double>(frameworks->steps);
}

}  // namespace

std::optional<Unit> choose_unit(const Units& units, const Candidate& c, bool is_block) {
  bool is_by_births = is_block || is_backlog(c.history);  // the oldest are gone
  double Slice::* what = is_by_births ? &Slice::births : &Slice::survivors;
  std::optional<Unit> shorter, frameworks, fallback;
  for (Unit& unit : units.around(c.site->stack, c.user_depth)) {
    if (unit.steps < 2 || !is_regular(c.history, unit, what)) continue;
    if (is_block && !unit.is_users) continue;
    auto steps = static_cast<double>(unit.steps);
    if (unit.is_frameworks) {
      bool is_rarest = !frameworks || unit.steps < frameworks->steps;
      if (is_rarest && steps >= 2 * kFewestSteps) frameworks = unit;
      continue;
    }
    if (is_within_steps(unit, frameworks, c)) continue;
    if (unit.is_users && steps >= 2 * kFewestSteps) return unit;
    if (unit.is_users && (!shorter || unit.steps > shorter->steps)) shorter = unit;
    if (!fallback || unit.steps > fallback->steps) fallback = unit;
  }
  bool is_enough = shorter && static_cast<double>(shorter->steps) >= kFewestSteps;
  if (is_enough) return shorter;
  return frameworks ? frameworks : fallback;
}

bool is_replaced_by_bigger(const Candidate& c) {
  const Site& site = *c.site;
  if (c.history.births < kFewestOfBlock || site.live_count > 2 + site.births / 20) return false;
  std::vector<double> sizes = sizes_by_quarter(c.history);
  for (size_t q = 1; q < sizes.size(); ++q) {
    if (sizes[q] < sizes[q - 1] * 1.05) return false;
  }
  return !sizes.empty() && sizes[3] >= 1.5 * sizes[0];
}

bool is_growing_block(const Candidate& c) {
  if (!is_replaced_by_bigger(c)) return false;
  // The old block must live on in the new one: resized in place, or read by the line that replaces it.
  if (lives_on_resized(*c.site)) return true;
  // Where several lines in turn make it from the one before, each frees the other's.
  return assigns_what_it_reads(read_source_line(c.user->file, c.user->line)) &&
         (lives_on_copied(*c.site) || is_carried_round(c.user->file, c.user->line));
}

bool is_warm_up(const Candidate& c, Tick half) {
  auto kind = static_cast<BlockKind>(c.site->kind);
  return kind != BlockKind::small_heap && kind != BlockKind::object_arena &&
         survivors_born_after(c.history, half) < 1;
}

double bytes_of_one(const Candidate& c) {
  return static_cast<double>(c.site->total_bytes) / std::max(1.0, c.history.births);
}

bool is_of_one_step(const Candidate& c, const Stepper& stepper) {
  if (c.site->births == 1) return true;
  double ratio = bytes_of_one(c) / std::max(1.0, bytes_of_one(*stepper.site));
  if (std::abs(ratio - 1) < kAlike) return false;
  Tick last = c.site->first_tick;
  for (const Slice& slice : c.history.slices) last = slice.survivors > 0 ? slice.to : last;
  const Unit& unit = stepper.unit;
  return unit.steps > 0 && unit.count_at(last) - unit.count_at(c.site->first_tick) <= 1;
}

bool is_sampled(const Candidate& c) {
  return static_cast<BlockKind>(c.site->kind) == BlockKind::small_heap;
}

bool is_sample_rising(const std::vector<Candidate>& members) {
  Rise all;
  for (const Candidate& c : members) {
    std::optional<Rise> rise = rise_of(c.history);
    if (!is_sampled(c) || c.history.is_ended || !rise) continue;
    all.bytes += rise->bytes;
    all.expected += rise->expected;
  }
  return all.is_steady();
}

bool makes_step_by_step(const Candidate& c) {
  return c.history.survivors >= kFewestSteps && !c.history.is_ended && is_still_rising(c.history);
}

bool is_part_of_cause(const History& history, const Unit& unit) {
  return is_mostly_kept(history) || is_kept_all_along(history, unit);
}

double relative_error(const Site& site) {
  if (site.live_bytes == 0 || site.live_variance <= 0) return 0;
  return std::sqrt(site.live_variance) / static_cast<double>(site.live_bytes);
}

}  // namespace tenure::analyze
