#include "analyze/evidence/site_evidence.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "analyze/evidence/rules.h"
#include "analyze/run/place.h"

namespace tenure::analyze {
namespace {

using ledger::BlockKind;
using ledger::Site;

// Growth along a unit is regular when what grows and the steps go together from the first to the end: survivors, or the
// births of a block that is replaced by bigger ones.
bool is_regular(const SiteHistory& history, const Unit& unit, double Slice::* what) {
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
  return worst < kMostIrregular + slack;
}

// One of many sites with one cause may have too few samples to show how it rises.
bool is_mostly_kept(const SiteHistory& history) {
  return history.survivors > 0 && history.survivors >= kMostlyKept * history.births;
}

// Survivors from all along its steps, beside passing blocks that hide how it rises. Not by births: what works on all that
// is there already makes more of them in each step. Much of the last quarter may be what the last step worked with.
bool is_kept_all_along(const SiteHistory& history, const Unit& unit) {
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

double mean_size(const Slice& slice) { return slice.born_bytes / std::max(1.0, slice.births); }

bool rises_with_each_birth(const SiteHistory& history) {
  for (size_t i = 1; i < history.slices.size(); ++i) {
    if (mean_size(history.slices[i]) < kLeastRiseOfQuarter * mean_size(history.slices[i - 1]))
      return false;
  }
  return history.slices.size() > 1;
}

// A framework calls the function with the loop in each of its steps, and the loop does not see all of them: its iterator
// says no more than which round of the call it is.
bool is_within_steps(const Unit& loop, const std::optional<Unit>& frameworks,
                     const SiteEvidence& c) {
  return loop.is_called_back && frameworks && loop.steps < frameworks->steps &&
         2 * c.history.births >= static_cast<double>(frameworks->steps);
}

// Whether each block stands for one run of the user's line: what lies between the line and the heap makes one block and no
// more. The C and C++ runtimes do; code that was compiled into the program does where it calls outside of any loop.
bool makes_one_block_a_run(Frames& frames, const Units& units, const SiteEvidence& c) {
  if (c.user->is_python) return false;
  const ledger::Reader& ledger = frames.ledger();
  for (StackId node : ledger.nodes(c.site->stack)) {
    if (node == c.user->node) return true;
    const ledger::Frame& frame = ledger.frame(ledger.stack(node).frame);
    if (frame.kind != static_cast<uint32_t>(ledger::FrameKind::native)) return false;
    bool is_simple = frames.is_user_module(frame.owner) ? !units.is_in_loop(frame)
                                                        : frames.is_runtime(frame.owner);
    if (!is_simple) return false;
  }
  return false;
}

// Threads of libraries know no line of the user's: what they make goes along with the program's own loop, or nothing tells
// how often they did.
std::optional<Unit> unit_of_program(const Units& units, const SiteEvidence& c) {
  std::optional<Unit> main = units.main_unit();
  if (!main || static_cast<double>(main->steps) < kFewestSteps) return std::nullopt;
  return is_regular(c.history, *main, &Slice::survivors) ? main : std::nullopt;
}

// Steps that a framework counts say nothing of a line.
bool is_loop(const Unit& unit) {
  return unit.depth > 0 && static_cast<double>(unit.steps) >= kFewestSteps;
}

// A loop of the user's own tells: what does not grow along with it was made in a few of its rounds.
bool is_in_users_loop(const std::vector<Unit>& around) {
  return std::any_of(around.begin(), around.end(),
                     [](const Unit& unit) { return is_loop(unit) && unit.is_users; });
}

// So many steps, laid along the axis between two births.
Unit unit_along(const RunAxis& axis, uint64_t steps, Tick first, Tick last) {
  Unit unit;
  unit.steps = steps;
  double from = axis.activity.position(first), all = axis.activity.position(last) - from;
  for (Tick i = 0; i <= kMarksOfBirths; ++i) {
    Tick tick = first + (last - first) * i / kMarksOfBirths;
    double part = all > 0 ? (axis.activity.position(tick) - from) / all : 1;
    unit.marks.push_back({tick, part * static_cast<double>(unit.steps)});
  }
  return unit;
}

}  // namespace

std::optional<Unit> choose_unit(const Units& units, const SiteEvidence& c, bool is_block) {
  bool is_by_births = is_block || is_backlog(c.history);  // the oldest are gone
  double Slice::* what = is_by_births ? &Slice::births : &Slice::survivors;
  std::optional<Unit> shorter, frameworks, fallback;
  for (Unit& unit : units.around(c.site->stack, c.user_depth)) {
    if (unit.steps < 2 || (!is_block && !is_regular(c.history, unit, what))) continue;
    if (is_block && !unit.is_users && static_cast<double>(unit.sure_calls) < kFewestSteps) continue;
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

std::optional<Unit> unit_by_births(Frames& frames, const Units& units, const RunAxis& axis,
                                   const SiteEvidence& c) {
  if (frames.is_importing(c.site->stack)) return std::nullopt;
  if (!c.user->is_user) return unit_of_program(units, c);
  const std::vector<Unit> around = units.around(c.site->stack, c.user_depth);
  if (is_in_users_loop(around)) return std::nullopt;
  bool runs_again = std::any_of(around.begin(), around.end(), is_loop);
  if (!runs_again && !makes_one_block_a_run(frames, units, c)) return std::nullopt;
  return unit_along(axis, c.site->total_count, c.site->first_tick, c.site->last_tick);
}

std::optional<Unit> unit_by_callers(Frames& frames, const Units& units, const RunAxis& axis,
                                    const std::vector<SiteEvidence>& members) {
  std::set<StackId> callers;
  uint64_t blocks = 0;
  Tick first = ~Tick{0}, last = 0;
  for (const SiteEvidence& c : members) {
    if (!c.user->is_user || frames.is_importing(c.site->stack)) continue;
    if (is_in_users_loop(units.around(c.site->stack, c.user_depth))) return std::nullopt;
    callers.insert(c.user->node);
    blocks += c.site->total_count;
    first = std::min(first, c.site->first_tick);
    last = std::max(last, c.site->last_tick);
  }
  if (static_cast<double>(callers.size()) < kFewestSteps) return std::nullopt;
  return unit_along(axis, blocks, first, last);
}

bool is_replaced_by_bigger(const SiteEvidence& c) {
  const Site& site = *c.site;
  if (c.history.births < kFewestOfBlock || site.live_count > 2 + site.births / kBirthsPerLeftBlock)
    return false;
  std::vector<double> sizes = sizes_by_quarter(c.history);
  if (sizes.empty()) return rises_with_each_birth(c.history);
  for (size_t q = 1; q < sizes.size(); ++q) {
    if (sizes[q] < sizes[q - 1] * kLeastRiseOfQuarter) return false;
  }
  return !sizes.empty() && sizes[3] >= kLeastRiseOfBlock * sizes[0];
}

bool is_growing_block(const SiteEvidence& c, Derivation value, double times_empty) {
  if (!is_replaced_by_bigger(c)) return false;
  // Inputs of rising size are worked on one after the other: nothing is left of one when the next comes. Where two lines
  // make a block in turn, each is empty after every birth.
  bool is_in_turn =
      value == Derivation::carried_round && c.history.times_empty * 2 > c.history.births;
  if (times_empty >= kFewestSteps && !is_in_turn) return false;
  // The old block must live on in the new one: resized in place, or there until the new one was made of it. One that the
  // code gives up for a new one is replaced, however big. Where several lines in turn make it, each frees the other's.
  return lives_on_resized(*c.site) || value == Derivation::carried_round ||
         (lives_on_copied(*c.site) && value != Derivation::anew);
}

// A block is full when it gets its next size: then it holds what its last size was.
BlockGrowth block_growth(const SiteEvidence& c, const Unit& loop, const RunAxis& axis) {
  const std::vector<Slice>& slices = c.history.slices;
  if (slices.size() < 2) return {};
  // A loop that is only seen when it makes a block says nothing of how far the program has come.
  bool is_followed = static_cast<double>(loop.steps) >= kRoundsPerSize * c.history.births;
  const Unit unit = is_followed ? loop : axis.as_unit();
  const Slice &last = slices.back(), &before = slices[slices.size() - 2];
  double began = unit.count_at(slices.front().from);
  auto steps_to = [&](Tick tick) { return std::max(unit.count_at(tick) - began, 1.0); };
  double factor = std::pow(mean_size(last) / mean_size(before), 1 / std::max(1.0, last.births));
  double pace = mean_size(before) / steps_to(last.from);
  double last_size = static_cast<double>(c.site->largest) / std::sqrt(std::max(factor, 1.0));
  BlockGrowth growth{true, false, std::max(0.0, last_size - mean_size(slices.front()))};
  for (size_t i = 1; i < slices.size(); ++i) {
    double held = mean_size(slices[i - 1]);
    if (held < kEarlySize * mean_size(last)) continue;
    double ratio = held / steps_to(slices[i].from) / pace;
    growth.is_in_proportion &= ratio < kOutOfProportion && ratio > 1 / kOutOfProportion;
  }
  double due = steps_to(last.to) * std::max(factor, 1.0) * kOverdue;
  double all = static_cast<double>(unit.steps) - began;
  growth.is_due = all <= std::max(due, steps_to(last.to) + kFewestSteps);
  return growth;
}

Derivation derivation_of(Frames& frames, const bytecode::Program& program, const SiteEvidence& c) {
  Derivation found = Derivation::unknown;
  for (const ReadableFrame* frame : user_frames(frames, c.site->stack)) {
    if (bytecode::is_carried_round(program, frame->file, frame->line))
      return Derivation::carried_round;
    if (bytecode::makes_from_old_value(program, frame->file, frame->line))
      found = Derivation::from_old;
    else if (found == Derivation::unknown &&
             !bytecode::assigned_variable(program, frame->file, frame->line).empty())
      found = Derivation::anew;
  }
  return found;
}

bool is_warm_up(const SiteEvidence& c, Tick half) {
  auto kind = static_cast<BlockKind>(c.site->kind);
  return kind != BlockKind::small_heap && kind != BlockKind::object_arena &&
         survivors_born_after(c.history, half) < 1;
}

double bytes_of_one(const SiteEvidence& c) {
  return static_cast<double>(c.site->total_bytes) / std::max(1.0, c.history.births);
}

bool is_of_one_step(const SiteEvidence& c, const Stepper& stepper) {
  if (c.site->births == 1) return true;
  double ratio = bytes_of_one(c) / std::max(1.0, bytes_of_one(*stepper.site));
  if (std::abs(ratio - 1) < kAlikeSize) return false;
  Tick last = c.site->first_tick;
  for (const Slice& slice : c.history.slices) last = slice.survivors > 0 ? slice.to : last;
  const Unit& unit = stepper.unit;
  return unit.steps > 0 && unit.count_at(last) - unit.count_at(c.site->first_tick) <= 1;
}

bool is_sampled(const SiteEvidence& c) {
  return static_cast<BlockKind>(c.site->kind) == BlockKind::small_heap;
}

bool is_sample_rising(const std::vector<SiteEvidence>& members) {
  Rise all;
  for (const SiteEvidence& c : members) {
    std::optional<Rise> rise = rise_of(c.history);
    if (!is_sampled(c) || c.history.is_ended || !rise) continue;
    all.bytes += rise->bytes;
    all.expected += rise->expected;
  }
  return all.is_steady();
}

bool makes_step_by_step(const SiteEvidence& c) {
  return c.history.survivors >= kFewestSteps && !c.history.is_ended && is_still_rising(c.history);
}

bool is_part_of_cause(const SiteHistory& history, const Unit& unit) {
  return is_mostly_kept(history) || is_kept_all_along(history, unit);
}

double relative_error(const Site& site) {
  if (site.live_bytes == 0 || site.live_variance <= 0) return 0;
  return std::sqrt(site.live_variance) / static_cast<double>(site.live_bytes);
}

}  // namespace tenure::analyze
