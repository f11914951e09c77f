#include "analyze/evidence/site_evidence.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "analyze/evidence/rules.h"
#include "analyze/run/handler.h"
#include "analyze/run/place.h"

namespace tenure::analyze {
namespace {

using ledger::BlockKind;
using ledger::Site;

// Growth along a unit is regular when what grows and the steps go together from the first that left something to the last:
// survivors, or the births of a block that is replaced by bigger ones. One that began after its first step has its phase in
// several steps, or it is that of a loop further in.
bool is_regular(const SiteHistory& history, const Unit& unit, double Slice::* what) {
  double first = -1, last = 0, seen = 0, worst = 0, all = 0;
  for (const Slice& slice : history.slices) {
    all += slice.*what;
    if (slice.*what <= 0) continue;
    if (first < 0) first = unit.count_at(slice.from);
    last = std::max(last, unit.count_at(slice.to));
  }
  bool began_late = !history.slices.empty() && history.slices.front().*what <= 0 &&
                    first - unit.count_at(history.slices.front().from) >= 1;
  if (last - first < (began_late ? kFewestSteps : 1)) return false;
  for (const Slice& slice : history.slices) {
    if (seen == 0 && slice.*what <= 0) continue;
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

// Of the sizes, from one birth to the next.
double mean_factor(const SiteHistory& history) {
  double first = mean_size(history.slices.front()), last = mean_size(history.slices.back());
  double between =
      history.births - (history.slices.front().births + history.slices.back().births) / 2;
  return std::pow(last / std::max(1.0, first), 1 / std::max(1.0, between));
}

// What there is of it once the births of a slice have come: an arena keeps its earlier pieces.
double held_after(const std::vector<Slice>& slices, size_t slice, bool is_arena) {
  if (!is_arena) return mean_size(slices[slice]);
  double held = 0;
  for (size_t i = 0; i <= slice; ++i) held += slices[i].born_bytes;
  return held;
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

// Steps that a framework counts say nothing of a line.
bool is_loop(const Unit& unit) {
  return unit.depth > 0 && static_cast<double>(unit.steps) >= kFewestSteps;
}

// A loop of the user's own tells: what does not grow along with it was made in a few of its rounds.
bool is_in_users_loop(const std::vector<Unit>& around) {
  return std::any_of(around.begin(), around.end(),
                     [](const Unit& unit) { return is_loop(unit) && unit.is_users; });
}

// Nearly all that was made is kept, and it is more than the loops were seen to come round, but not so many more that each
// round makes several: a loop that does not count itself was not always seen.
bool has_missed_rounds(const std::vector<Unit>& around, const SiteEvidence& c) {
  if (!is_mostly_kept(c.history)) return false;
  return std::none_of(around.begin(), around.end(), [&](const Unit& unit) {
    auto steps = static_cast<double>(unit.steps);
    bool is_missed = c.history.births > steps && c.history.births <= kMissedRounds * steps;
    return is_loop(unit) && unit.is_users && !is_missed;
  });
}

// So many steps, laid along the axis between two births.
Unit unit_along(const RunAxis& axis, uint64_t steps, Tick first, Tick last) {
  Unit unit;
  unit.steps = steps;
  unit.is_of_line = true;
  double from = axis.activity.position(first), all = axis.activity.position(last) - from;
  for (Tick i = 0; i <= kMarksOfBirths; ++i) {
    Tick tick = first + (last - first) * i / kMarksOfBirths;
    double part = all > 0 ? (axis.activity.position(tick) - from) / all : 1;
    unit.marks.push_back({tick, part * static_cast<double>(unit.steps)});
  }
  return unit;
}

// Where the user's own code asked for it: its line, or the function where there are no lines.
bool is_of_users_code(const ReadableFrame& frame) { return frame.is_user || frame.is_lineless; }

std::string run_at(const ReadableFrame& frame) {
  return frame.is_lineless ? block_of(frame.function, frame.file) : run_of(frame.file, frame.line);
}

struct Runs {
  uint64_t count = 0;
  Tick first = ~Tick{0}, last = 0;

  void add(const Runs& other) {
    count = std::max(count, other.count);
    first = std::min(first, other.first);
    last = std::max(last, other.last);
  }
  bool overlaps(const Runs& other) const {
    Tick from = std::max(first, other.first), to = std::min(last, other.last);
    return from<to&& static_cast<double>(to - from)> kSameTime *
           static_cast<double>(std::min(last - first, other.last - other.first));
  }
};

// Instructions of one line that made blocks at the same time did so in the same runs of it. One after the other, they are
// the same call, before and after the interpreter rewrote the code.
uint64_t runs_at_place(std::vector<Runs> calls) {
  std::sort(calls.begin(), calls.end(),
            [](const Runs& a, const Runs& b) { return a.count > b.count; });
  uint64_t count = 0;
  for (size_t i = 0; i < calls.size(); ++i) {
    bool is_other = std::none_of(calls.begin(), calls.begin() + static_cast<long>(i),
                                 [&](const Runs& before) { return before.overlaps(calls[i]); });
    if (is_other) count += calls[i].count;
  }
  return count;
}

// Most of what the line keeps was counted block by block: then samples say nothing of its runs, since one run makes any
// number of small blocks beside each that is counted.
bool is_mostly_counted(const std::vector<SiteEvidence>& members) {
  double counted = 0, all = 0;
  for (const SiteEvidence& c : members) {
    all += c.history.bytes;
    counted += is_estimate(c) ? 0 : c.history.bytes;
  }
  return 2 * counted > all;
}

// How often the line ran, by the blocks it made: one run may make several, by several instructions or in different calls
// below the line; runs from another caller are others. What is imported there is imported in one run, however much it is.
Runs runs_of(const Units& units, const std::vector<SiteEvidence>& members,
             const Frames* frames = nullptr) {
  std::map<StackId, std::map<StackId, Runs>> by_place;
  Runs all;
  const bool are_counts_enough = is_mostly_counted(members);
  for (const SiteEvidence& c : members) {
    if (!is_of_users_code(*c.user) || (are_counts_enough && is_estimate(c))) continue;
    if (frames && frames->import_depth(c.site->stack) > c.user_depth) continue;
    Runs runs{c.site->total_count, c.site->first_tick, c.site->last_tick};
    by_place[units.place_of(c.user->node)][c.user->node].add(runs);
    all.add(runs);
  }
  all.count = 0;
  for (const auto& [place, calls] : by_place) {
    std::vector<Runs> found;
    for (const auto& [node, runs] : calls) found.push_back(runs);
    all.count += runs_at_place(std::move(found));
  }
  return all;
}

// The one function of the user's below which libraries have all of them made; nothing where there are several, or where a
// loop lies between that function and the line: then a run of the line is no call of it.
std::optional<Handler> common_handler(Frames& frames, const Units& units,
                                      const std::vector<SiteEvidence>& members) {
  std::optional<Handler> common;
  for (const SiteEvidence& c : members) {
    if (!c.user->is_user) continue;
    std::optional<Handler> handler = handler_of(frames, c.site->stack);
    if (!handler || (common && !common->is_same(*handler))) return std::nullopt;
    bool is_called_again = false;
    for (const Unit& unit : units.around(c.site->stack, c.user_depth)) {
      if (is_loop(unit) && unit.depth > handler->depth) return std::nullopt;
      is_called_again |= is_loop(unit);
    }
    if (!is_called_again) return std::nullopt;
    common = handler;
  }
  return common;
}

// Threads of libraries know no line of the user's: what they make goes along with the program's own loop, or else each
// block stands for itself. Samples of small blocks do not: libraries keep many, for themselves. Nor does anything in a
// native process that runs no loop of the user's, as a compiler that the program starts.
Unit unit_of_library(const Frames& frames, const Units& units, const RunAxis& axis,
                     const SiteEvidence& c) {
  std::optional<Unit> main = units.main_unit();
  bool goes_along = main && static_cast<double>(main->steps) >= kFewestSteps &&
                    is_regular(c.history, *main, &Slice::survivors);
  if (goes_along) return *main;
  bool is_users = main || !frames.ledger().fact("interpreter").empty();
  if (!is_users || is_sampled(c) || c.history.bytes < kLeastOfLibrary) return {};
  return unit_along(axis, c.site->total_count, c.site->first_tick, c.site->last_tick);
}

}  // namespace

std::optional<Unit> choose_unit(const Units& units, const SiteEvidence& c, bool is_block) {
  bool is_by_births = is_block || is_backlog(c.history);  // the oldest are gone
  double Slice::* what = is_by_births ? &Slice::births : &Slice::survivors;
  std::optional<Unit> shorter, frameworks, fallback;
  for (Unit& unit : units.around(c.site->stack, c.user_depth)) {
    if (unit.steps < 2 || (!is_block && !is_regular(c.history, unit, what))) continue;
    if (is_block && !unit.comes_round_between(c.site->first_tick, c.site->last_tick)) continue;
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

Unit with_doubtful_rounds(const Units& units, Unit unit, const std::vector<SiteEvidence>& members) {
  bool is_doubtful = unit.is_users && unit.most_steps > unit.steps && unit.steps > 0;
  if (!is_doubtful || std::any_of(members.begin(), members.end(), is_estimate)) return unit;
  uint64_t runs = runs_of(units, members).count;
  bool is_every_round = runs <= unit.most_steps && runs + 1 >= unit.most_steps;
  if (!is_every_round || runs % unit.steps == 0) return unit;
  double scale = static_cast<double>(unit.most_steps) / static_cast<double>(unit.steps);
  for (Unit::Mark& mark : unit.marks) mark.count *= scale;
  unit.steps = unit.most_steps;
  return unit;
}

Unit with_unseen_rounds(const Frames& frames, const Units& units, Unit unit,
                        const std::vector<SiteEvidence>& members) {
  bool is_native = frames.ledger().fact("interpreter").empty();
  if (!is_native || !unit.is_users || unit.steps == 0) return unit;
  if (!std::all_of(members.begin(), members.end(), is_sampled)) return unit;
  double samples = 0;
  for (const SiteEvidence& c : members) samples += c.history.births;
  Runs runs = runs_of(units, members);
  bool is_alone = static_cast<double>(unit.steps) >= kSampleAlone * samples;
  if (!is_alone || runs.count <= unit.steps) return unit;
  double scale = static_cast<double>(runs.count) / static_cast<double>(unit.steps);
  for (Unit::Mark& mark : unit.marks) mark.count *= scale;
  unit.steps = unit.most_steps = runs.count;
  unit.is_of_line = unit.is_estimated = true;
  unit.per = run_at(*members.front().user);
  return unit;
}

std::optional<Unit> unit_by_births(Frames& frames, const Units& units, const RunAxis& axis,
                                   const SiteEvidence& c,
                                   const std::vector<SiteEvidence>& members) {
  const uint32_t import_depth = frames.import_depth(c.site->stack);
  if (import_depth > c.user_depth) return std::nullopt;
  if (!is_of_users_code(*c.user))
    return import_depth ? std::nullopt
                        : std::optional<Unit>(unit_of_library(frames, units, axis, c));
  std::vector<Unit> around = units.around(c.site->stack, c.user_depth);
  // A module of the user's is loaded once; what it starts while it is loaded may run again and again.
  if (import_depth)
    std::erase_if(around, [&](const Unit& unit) { return unit.depth <= import_depth; });
  if (is_in_users_loop(around) && !has_missed_rounds(around, c)) return std::nullopt;
  bool runs_again = std::any_of(around.begin(), around.end(), is_loop);
  if (!runs_again && !makes_one_block_a_run(frames, units, c)) return std::nullopt;
  Runs runs = runs_of(units, members, &frames);
  Unit unit = unit_along(axis, runs.count, runs.first, runs.last);
  unit.is_estimated = !is_mostly_counted(members);
  std::optional<Handler> handler = common_handler(frames, units, members);
  unit.per = handler ? call_of(*handler) : run_at(*c.user);
  return unit;
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
  Unit unit = unit_along(axis, blocks, first, last);
  unit.per = run_of(members.front().user->file, members.front().user->line);
  return unit;
}

bool is_replaced_by_bigger(const SiteEvidence& c) {
  // At the moment that is judged: those of a site that was given back at the end are all gone by now.
  double alive = std::max(static_cast<double>(c.site->live_count), c.history.survivors);
  double most_alive = 2 + c.history.births / static_cast<double>(kBirthsPerLeftBlock);
  if (c.history.births < kFewestOfBlock || alive > most_alive) return false;
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
         value == Derivation::carried_by_caller ||
         (lives_on_copied(*c.site) && value != Derivation::anew);
}

bool is_growing_arena(const SiteEvidence& c) {
  const SiteHistory& history = c.history;
  if (is_sampled(c) || history.births < kFewestOfArena || !is_mostly_kept(history)) return false;
  return rises_with_each_birth(history) && mean_factor(history) >= kLeastFactorOfArena;
}

// A block is full when it gets its next size: then it holds what its last size was.
BlockGrowth block_growth(const SiteEvidence& c, const Unit& loop, const RunAxis& axis) {
  const std::vector<Slice>& slices = c.history.slices;
  if (slices.size() < 2) return {};
  const bool is_arena = is_growing_arena(c);
  auto held = [&](size_t slice) { return held_after(slices, slice, is_arena); };
  // A loop that is only seen when it makes a block says nothing of how far the program has come.
  bool is_followed = static_cast<double>(loop.steps) >= kRoundsPerSize * c.history.births;
  const Unit unit = is_followed ? loop : axis.as_unit(c.history.births);
  const Slice& last = slices.back();
  double began = unit.count_at(slices.front().from);
  auto steps_to = [&](Tick tick) { return std::max(unit.count_at(tick) - began, 1.0); };
  double full = held(slices.size() - 1), before = held(slices.size() - 2);
  double factor = std::pow(full / before, 1 / std::max(1.0, last.births));
  double pace = before / steps_to(last.from);
  double most = is_arena ? full : static_cast<double>(c.site->largest);
  double last_size = most / std::sqrt(std::max(factor, 1.0));
  BlockGrowth growth{is_followed, true, false,
                     std::max(0.0, last_size - mean_size(slices.front()))};
  for (size_t i = 1; i < slices.size(); ++i) {
    if (held(i - 1) < kEarlySize * full) continue;
    double ratio = held(i - 1) / steps_to(slices[i].from) / pace;
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
      return found == Derivation::anew ? Derivation::carried_by_caller : Derivation::carried_round;
    if (bytecode::makes_from_old_value(program, frame->file, frame->line))
      found = Derivation::from_old;
    else if (found == Derivation::unknown &&
             !bytecode::assigned_variable(program, frame->file, frame->line).empty())
      found = Derivation::anew;
  }
  return found;
}

bool is_warm_up(const SiteEvidence& c, Tick half) {
  if (static_cast<BlockKind>(c.site->kind) == BlockKind::object_arena) return false;
  bool is_enough = !is_sampled(c) || c.history.survivors >= kFewestSteps;
  return is_enough && survivors_born_after(c.history, half) < 1;
}

double bytes_of_one(const SiteEvidence& c) {
  return static_cast<double>(c.site->total_bytes) / std::max(1.0, c.history.births);
}

bool is_of_one_step(const SiteEvidence& c, const Stepper& stepper) {
  double ratio = bytes_of_one(c) / std::max(1.0, bytes_of_one(*stepper.site));
  if (std::abs(ratio - 1) < kAlikeSize) return false;
  if (c.site->births == 1) return true;
  Tick last = c.site->first_tick;
  for (const Slice& slice : c.history.slices) last = slice.survivors > 0 ? slice.to : last;
  const Unit& unit = stepper.unit;
  return unit.steps > 0 && unit.count_at(last) - unit.count_at(c.site->first_tick) <= 1;
}

bool is_sampled(const SiteEvidence& c) {
  return static_cast<BlockKind>(c.site->kind) == BlockKind::small_heap;
}

bool is_estimate(const SiteEvidence& c) { return is_sampled(c) || c.site->live_variance > 0; }

bool is_confirmed(const Units& units, const Unit& unit, const std::vector<SiteEvidence>& members) {
  if (unit.is_named || unit.steps == 0) return true;
  if (unit.is_of_line) return !unit.is_estimated;
  if (std::any_of(members.begin(), members.end(), is_estimate)) return false;
  uint64_t runs = runs_of(units, members).count;
  return runs > 0 && (runs % unit.steps == 0 || unit.steps % runs == 0);
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
