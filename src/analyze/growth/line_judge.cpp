#include "analyze/growth/line_judge.h"

#include <algorithm>

#include "analyze/evidence/call_unit.h"
#include "analyze/evidence/released.h"
#include "analyze/evidence/rules.h"
#include "analyze/evidence/step_profile.h"
#include "analyze/growth/comprehensions.h"
#include "analyze/growth/rules.h"
#include "base/whole.h"

namespace tenure::analyze {
namespace {

using ledger::BlockKind;

Line line_of(const ReadableFrame& frame) { return {frame.file, frame.function, frame.line}; }

class LineJudge {
 public:
  LineJudge(const ProcessRun& process, const RunAxis& axis, const Causes& causes)
      : frames_(process.frames),
        units_(process.units),
        program_(process.program),
        causes_(causes),
        ledger_(process.frames.ledger()),
        axis_(axis) {}

  std::vector<Growth> judge_all(const GrowthLines& lines) {
    std::vector<Growth> growths;
    for (const auto& [key, line] : lines) {
      if (std::get<LineGroup>(key) == LineGroup::code) continue;
      growths.push_back(judge(line));
      growths.back().is_of_compiler = is_of_compiler(growths.back(), lines, key);
    }
    std::sort(growths.begin(), growths.end(),
              [](const Growth& a, const Growth& b) { return a.bytes > b.bytes; });
    return growths;
  }

 private:
  // The survivors of all sites of a line together, along the unit of the biggest.
  struct Rising {
    std::vector<const SiteHistory*> histories;
    double late_births = 0;  // of growing blocks, in the later half of the run
    double block_bytes_per_step = 0;
    Tick last_birth = 0;  // that survives
    bool is_block_in_proportion = false, is_block_due = false, is_block_followed = false;
    bool is_backlog = false;
    Tick first_birth = 0;  // of the biggest site
    bool has_released = false;
    bool has_only_newest = false;
    double samples = 0, sampled_bytes = 0;  // of what was not counted
    double births = 0;                      // that were seen
    double pace_unseen = 1;  // along the axis, where the loop is only seen by its blocks

    // Most of it is known from a handful of samples, which are where they are by chance.
    bool is_by_chance(const Growth& growth) const {
      return 2 * sampled_bytes > static_cast<double>(growth.bytes) &&
             samples < static_cast<double>(kFewestSamples);
    }
  };

  Growth judge(const GrowthLine& line) {
    std::vector<SiteEvidence> members = line.sites;
    // Blocks of worker threads know no loop: the first one gives the unit.
    std::sort(members.begin(), members.end(), [](const SiteEvidence& a, const SiteEvidence& b) {
      return a.user->is_python != b.user->is_python ? a.user->is_python
                                                    : a.history.bytes > b.history.bytes;
    });
    Growth growth;
    Rising evidence;
    growth.line = line_of(*members[0].user);
    growth.is_ignored = members[0].site->is_ignored != 0;
    for (const SiteEvidence& c : members) {
      growth.most_bytes += c.site->max_live_bytes;
      growth.members.push_back(c.id);
      growth.members.insert(growth.members.end(), c.joined.begin(), c.joined.end());
    }
    if (line.cause) begin_cause(*line.cause, members, growth);
    add_rising(line, members, growth, evidence);
    if (growth.sites.empty()) return judge_given_back(line, members, growth);
    if (growth.bytes < axis_.least_bytes) return judge_little(line, members, growth);
    evidence.has_only_newest =
        is_full_buffer_of_samples(members) ||
        (!evidence.is_backlog && has_only_newest(members, evidence.histories, growth.unit));
    evidence.has_released |=
        released_bytes(units_, members, growth.unit) >= static_cast<double>(growth.bytes);
    // Blocks that went were of the making, not of what is kept.
    evidence.has_released &= !growth.cause || !growth.cause->forgets_nothing;
    classify(growth, evidence);
    if (growth.what != GrowthClass::dismissed && is_below_exit(growth))
      return dismissed({}, Rule::below_exit, growth);
    return growth;
  }

  // Little is left: the others of its sites may have been given back.
  Growth judge_little(const GrowthLine& line, const std::vector<SiteEvidence>& members,
                      const Growth& left) {
    Growth given_back = judge_given_back(line, members, left);
    bool is_told = given_back.what == GrowthClass::accumulates;
    return is_told ? given_back : dismissed({}, Rule::too_little, left);
  }

  // Nothing of it is left. What it came to while it was there is told where that would have been a leak.
  Growth judge_given_back(const GrowthLine& line, const std::vector<SiteEvidence>& members,
                          const Growth& begun) {
    GrowthLine then = line;
    then.sites.clear();
    for (SiteEvidence c : members) {
      if (!c.history.is_ended || c.history.at_most.empty() || has_gone_on(*c.site)) continue;
      c.history = SiteHistory{.slices = c.history.at_most, .births = c.history.births};
      sum_up(c.history);
      then.sites.push_back(std::move(c));
    }
    if (begun.cause || then.sites.empty()) return dismissed(members, Rule::gone, begun);
    Growth growth = judge(then);
    const ledger::Site& site = ledger_.sites()[then.sites.front().id.value];
    bool is_leak_then = is_leak(growth.what) || growth.what == GrowthClass::stayed;
    bool made_peak = 2 * at_peak_bytes(growth) >= growth.bytes;
    if (!is_leak_then || !made_peak || !site.halved.stack)
      return dismissed(members, Rule::gone, begun);
    decide(growth, GrowthClass::accumulates, Rule::given_back);
    growth.released = site.halved.stack;
    growth.bytes_at_end = 0;
    return growth;
  }

  // It was made again and again, and this was only the most of it.
  static bool has_gone_on(const ledger::Site& site) {
    return static_cast<double>(site.births) >
           kWentOnFactor * static_cast<double>(site.frozen.births) + kWentOnBlocks;
  }

  uint64_t at_peak_bytes(const Growth& growth) const {
    uint64_t bytes = 0;
    for (SiteId id : growth.sites) bytes += ledger_.at_peak(ledger_.sites()[id.value]).bytes;
    return bytes;
  }

  // `members`: whose figures are told where nothing of it was added.
  // Samples stand for many blocks, of which each has the mean size of those that were drawn.
  static double blocks_of(const SiteEvidence& c) {
    const ledger::Site& site = *c.site;
    if (!is_estimate(c) || site.total_bytes == 0) return c.history.survivors;
    return c.history.bytes * static_cast<double>(site.total_count) /
           static_cast<double>(site.total_bytes);
  }

  static Growth dismissed(const std::vector<SiteEvidence>& members, Rule rule, Growth growth) {
    growth.what = GrowthClass::dismissed;
    growth.rule = rule;
    for (const SiteEvidence& c : members) {
      growth.sites.push_back(c.id);
      growth.bytes += whole(c.history.bytes);
      growth.count += whole(c.history.survivors);
      growth.blocks += blocks_of(c);
    }
    return growth;
  }

  void add_rising(const GrowthLine& line, const std::vector<SiteEvidence>& members, Growth& growth,
                  Rising& evidence) {
    bool are_samples_rising = is_sample_rising(members);
    std::optional<Stepper> stepper = stepper_of(members);
    by_callers_.reset();
    for (const SiteEvidence& c : members) {
      bool is_needed_early = growth.cause || (stepper && is_of_one_step(c, *stepper));
      bool is_early_only = is_warm_up(c, axis_.half) && !is_sampled_since(c);
      if (c.history.is_ended || (is_needed_early && is_early_only)) continue;
      bool is_block = !growth.cause && is_block_that_grows(c, times_without_block(c, members));
      bool is_rising = is_still_rising(c.history) || is_backlog(c.history) ||
                       (is_sampled(c) && are_samples_rising) ||
                       (growth.cause && is_part_of_cause(c.history, growth.unit));
      if ((!is_block && !is_rising) || is_told_by_other(c, members)) continue;
      add_site(c, members, is_block, growth);
      if (growth.cause && c.user->is_python)
        growth.cause->lines[line.cause_lines.at(c.id)].bytes += whole(c.history.bytes);
      if (is_block)
        add_growing_block(c, growth, evidence);
      else
        add_survivors(c, growth, evidence);
    }
  }

  // A table inside a library finds its size in a few steps; a buffer of the program's own may take as few. Samples are of
  // many blocks, and come in rising sizes by chance.
  bool is_block_that_grows(const SiteEvidence& c, double times_empty) {
    if (is_sampled(c)) return false;
    if (is_growing_arena(c)) return true;
    uint32_t asker = c.site->asker.value;  // `operator new` asks for whoever calls it
    bool is_own = frames_.is_of_program(asker) || (!c.user->is_python && frames_.is_runtime(asker));
    bool is_enough = is_own || c.history.births >= kSizesOfLibrary;
    return is_enough && is_replaced_by_bigger(c) &&
           is_growing_block(c, derivation_of(frames_, program_, c), times_empty);
  }

  // Of sites whose blocks become bigger: a call at each depth of a recursion has one of its own. Another instruction of the
  // same call, as the first sum in `text = text + line + end`, makes what is given up for this one.
  double times_without_block(const SiteEvidence& c,
                             const std::vector<SiteEvidence>& members) const {
    double times = 0;
    for (const SiteEvidence& other : members) {
      bool is_step_to_it = other.id != c.id && is_same_place(other, c);
      if (is_step_to_it || is_sampled(other) || !is_replaced_by_bigger(other)) continue;
      times += other.history.times_empty;
    }
    return times;
  }

  bool is_same_place(const SiteEvidence& a, const SiteEvidence& b) const {
    StackId place = units_.place_of(a.user->node);
    return place && place == units_.place_of(b.user->node);
  }

  // Blocks of its size are no longer counted: since the governor raised the threshold they are among the samples.
  bool is_sampled_since(const SiteEvidence& c) const {
    return bytes_of_one(c) < static_cast<double>(ledger_.header().exact_threshold);
  }

  // What is made below exit() goes with the program, however long a loop makes it.
  bool is_below_exit(const Growth& growth) {
    return std::all_of(growth.sites.begin(), growth.sites.end(), [&](SiteId site) {
      return frames_.is_below_exit(ledger_.sites()[site.value].stack);
    });
  }

  // Its line has a library generate code all along the run, and these are no tensors but what that library works with.
  bool is_of_compiler(const Growth& growth, const GrowthLines& lines, LineKey line) const {
    std::get<LineGroup>(line) = LineGroup::code;
    auto found = lines.find(line);
    if (growth.cause || found == lines.end()) return false;
    double late = 0;
    for (const SiteEvidence& code : found->second.sites)
      late += births_after(code.history, axis_.half);
    ModuleId compiler = found->second.sites.front().site->asker;
    return late >= kFewestSteps &&
           std::all_of(growth.sites.begin(), growth.sites.end(), [&](SiteId id) {
             const ledger::Site& site = ledger_.sites()[id.value];
             std::string_view asker = ledger_.string(ledger_.module(site.asker.value).path);
             return !site.is_tensor &&
                    (site.asker == compiler || asker.find("/libstdc++") != asker.npos);
           });
  }

  std::optional<Stepper> stepper_of(const std::vector<SiteEvidence>& members) const {
    auto found = std::find_if(members.begin(), members.end(), makes_step_by_step);
    if (found == members.end()) return std::nullopt;
    return Stepper{&*found, choose_unit(units_, *found, false).value_or(Unit{})};
  }

  // Named segments and their mappings, both made at one line, are the same pages: told is what more of them is there.
  static bool is_told_by_other(const SiteEvidence& c, const std::vector<SiteEvidence>& members) {
    const auto kind = static_cast<BlockKind>(c.site->kind);
    const bool is_segment = kind == BlockKind::shared_segment;
    if (!is_segment && kind != BlockKind::shared_map) return false;
    const auto twin =
        static_cast<uint8_t>(is_segment ? BlockKind::shared_map : BlockKind::shared_segment);
    return std::any_of(members.begin(), members.end(), [&](const SiteEvidence& other) {
      if (other.site->kind != twin || other.history.is_ended) return false;
      return is_segment ? other.history.bytes > c.history.bytes
                        : other.history.bytes >= c.history.bytes;
    });
  }

  // Its lines may stand anywhere; the loop is that of the biggest site that knows one.
  void begin_cause(size_t cause, const std::vector<SiteEvidence>& members, Growth& growth) {
    growth.cause = causes_[cause];
    for (const SiteEvidence& c : members) {
      if (c.history.is_ended || !c.user->is_python) continue;
      auto unit = choose_unit(units_, c, false);
      if (!unit || !unit->is_users || static_cast<double>(unit->steps) < kFewestSteps) continue;
      growth.unit = *unit;
      return;
    }
  }

  // Rounds of a library's own loop are no runs of the user's line.
  Unit unit_of(const SiteEvidence& c, const std::vector<SiteEvidence>& members, bool is_block) {
    std::optional<Unit> unit = choose_unit(units_, c, is_block);
    if (unit && !is_block && is_of_its_value(c, *unit)) {
      if (auto calls = unit_of_calls(frames_, units_, c)) return *calls;
    }
    if (unit && (unit->is_users || unit->is_frameworks))
      return with_unseen_rounds(frames_, units_, with_doubtful_rounds(units_, *unit, members),
                                members);
    if (is_block) return unit.value_or(Unit{});
    unit = unit_by_births(frames_, units_, axis_, c, members);
    if (!unit) unit = unit_of_callers(members);
    return unit.value_or(Unit{});
  }

  // The rounds of one expression are no steps of the value that it makes.
  bool is_of_its_value(const SiteEvidence& c, const Unit& loop) const {
    bool is_made_there = loop.is_users && ledger_.stack(c.user->node).depth == loop.depth;
    return is_made_there && is_comprehension(program_, loop);
  }

  // The same for all sites of a line, which may be thousands.
  const std::optional<Unit>& unit_of_callers(const std::vector<SiteEvidence>& members) {
    if (!by_callers_) by_callers_.emplace(unit_by_callers(frames_, units_, axis_, members));
    return *by_callers_;
  }

  void add_unit(const SiteEvidence& c, const std::vector<SiteEvidence>& members, bool is_block,
                Growth& growth) {
    if (growth.unit.steps == 0) growth.unit = unit_of(c, members, is_block);
    const Unit& unit = growth.unit;
    bool is_known = unit.is_users || unit.is_frameworks || (unit.is_of_line && !unit.per.empty());
    growth.per = is_known ? unit.per : run_of(c.user->file, c.user->line);
    growth.steps = unit.steps;
    growth.unit.is_estimated = !is_confirmed(units_, unit, members);
  }

  void add_site(const SiteEvidence& c, const std::vector<SiteEvidence>& members, bool is_block,
                Growth& growth) {
    bool is_first = growth.sites.empty();
    if (is_first) {
      growth.line = line_of(*c.user);
      growth.block_kind = static_cast<BlockKind>(c.site->kind);
      growth.births = c.history.births;
      growth.is_one_block = is_block;
    }
    // Of the biggest site that knows one: what the first step of a loop made may be more, and knows none.
    bool is_wanted = growth.unit.steps == 0 && !growth.is_one_block;
    if (is_first || is_wanted) add_unit(c, members, is_block, growth);
    growth.sites.push_back(c.id);
    growth.lives.push_back(c.history.slices);
    for (SiteId joined : c.joined) {
      growth.sites.push_back(joined);
      growth.lives.push_back(c.history.slices);
    }
    growth.is_estimated |= is_estimate(c);
    growth.relative_error = std::max(growth.relative_error, relative_error(*c.site));
  }

  void add_survivors(const SiteEvidence& c, Growth& growth, Rising& evidence) {
    if (evidence.histories.empty()) {
      evidence.is_backlog = is_backlog(c.history);
      evidence.has_released = !evidence.is_backlog && has_released(c.history);
      evidence.first_birth = c.site->first_tick;
    }
    growth.bytes += whole(c.history.bytes);
    growth.bytes_at_end += c.site->live_bytes;
    growth.count += whole(c.history.survivors);
    growth.blocks += blocks_of(c);
    evidence.last_birth = std::max(evidence.last_birth, c.history.last_birth);
    evidence.histories.push_back(&c.history);
    evidence.births += c.history.births;
    if (!is_sampled(c)) return;
    evidence.samples += c.history.survivors;
    evidence.sampled_bytes += c.history.bytes;
  }

  void add_growing_block(const SiteEvidence& c, Growth& growth, Rising& evidence) {
    // Several that grow side by side hold more than the biggest of them; one is there twice while it is copied.
    bool are_many = c.history.survivors >= kManyBlocks;
    auto largest = static_cast<double>(c.site->largest);
    double held = are_many ? std::max(largest, c.history.bytes) : largest;
    growth.bytes += whole(held);
    growth.count += are_many ? whole(c.history.survivors) : 1;
    growth.blocks += are_many ? blocks_of(c) : 1;
    growth.is_arena |= is_growing_arena(c);
    evidence.late_births += births_after(c.history, axis_.half);
    BlockGrowth block = block_growth(c, growth.unit, axis_);
    evidence.is_block_in_proportion |= block.is_in_proportion;
    evidence.is_block_due |= block.is_due;
    evidence.is_block_followed |= block.is_followed;
    // A loop goes on in the room that there is.
    Tick last = growth.unit.marks.empty() ? 0 : growth.unit.marks.back().tick;
    evidence.last_birth = std::max({evidence.last_birth, c.site->last_tick, last});
    if (growth.steps)
      evidence.block_bytes_per_step +=
          block.bytes * held / std::max(1.0, largest) / static_cast<double>(growth.steps);
  }

  // A loop that is only seen when the line makes a block says nothing of how far the program has come. Python's own loops
  // count their rounds.
  double pace_unseen(const Growth& growth, const Rising& evidence) const {
    bool is_native = ledger_.fact("interpreter").empty();
    bool is_followed = static_cast<double>(growth.steps) >= kRoundsPerSize * evidence.births;
    bool is_measured = axis_.activity.work_after(axis_.activity.start()) > 0;
    if (!is_native || is_followed || !is_measured || !growth.unit.is_users || growth.cause)
      return 1;
    return StepProfile(axis_.by_work(), evidence.histories).pace(growth.is_estimated);
  }

  void classify(Growth& growth, Rising& evidence) {
    StepProfile profile(growth.unit, evidence.histories);
    evidence.pace_unseen = pace_unseen(growth, evidence);
    growth.bytes_per_step = evidence.block_bytes_per_step;
    auto steps = static_cast<double>(growth.steps);
    // The oldest of a backlog are gone, but it grew from its first step on.
    double first =
        evidence.is_backlog ? growth.unit.step_at(evidence.first_birth) : profile.first_step();
    if (profile.first_step() > 0 && growth.steps)
      growth.bytes_per_step += bytes_of(evidence) / (steps - first + 1);
    growth.survivors = growth.is_one_block ? evidence.late_births : profile.late_steps();
    growth.share_after = axis_.share_after(evidence.last_birth);
    if (steps < kFewestSteps)
      judge_short(growth, evidence);
    else if (growth.is_one_block)
      judge_block(growth, evidence);
    else
      judge_survivors(growth, profile, evidence);
  }

  static double bytes_of(const Rising& evidence) {
    double bytes = 0;
    for (const SiteHistory* history : evidence.histories) bytes += history->bytes;
    return bytes;
  }

  static void decide(Growth& growth, GrowthClass what, Rule rule) {
    growth.what = what;
    growth.rule = rule;
  }

  void judge_short(Growth& growth, const Rising& evidence) const {
    bool is_still_added = growth.is_one_block ? evidence.late_births >= kFewestLate
                                              : growth.share_after < kNothingAdded;
    bool is_worth_a_word =
        growth.steps >= kTooShortSteps && is_still_added && is_much_of_peak(growth);
    decide(growth, is_worth_a_word ? GrowthClass::too_short : GrowthClass::dismissed,
           Rule::too_few_steps);
  }

  bool is_much_of_peak(const Growth& growth) const {
    double peak = static_cast<double>(ledger_.header().peak_bytes.load());
    return growth.bytes >= kTooShortBytes &&
           static_cast<double>(growth.bytes) >= kTooShortShare * peak;
  }

  // The loop that made it bigger has ended, and the program went on. Without such a loop its next size tells alone.
  static bool is_loop_over(const Growth& growth, const Rising& evidence) {
    return evidence.is_block_followed && growth.share_after >= kNothingAdded;
  }

  static void judge_block(Growth& growth, const Rising& evidence) {
    if (!evidence.is_block_in_proportion && growth.survivors < kFewestSteps)
      decide(growth, GrowthClass::filling, Rule::slows_down);
    else if (!evidence.is_block_due || is_loop_over(growth, evidence))
      decide(growth, GrowthClass::stayed, Rule::nothing_added);
    else
      decide(growth, GrowthClass::growing_block, Rule::one_block_grows);
  }

  // The first that matches, in the order of the design.
  static Rule rule_for(const Growth& growth, const StepProfile& profile, const Rising& evidence) {
    bool is_by_births = !growth.unit.is_users && !growth.unit.is_frameworks;
    double steady = growth.is_estimated ? kSteadySamples : kSteady;
    if (is_by_births) steady = kSteadyBirths;
    if (growth.survivors < kSuspiciousSteps) return Rule::few_late_steps;
    if (evidence.has_only_newest) return Rule::only_newest;
    if (evidence.has_released) return Rule::released_before;
    if (profile.pace(growth.is_estimated) < steady) return Rule::slows_down;
    if (evidence.pace_unseen < kSteadyUnseen) return Rule::slows_down;
    if (growth.share_after >= kNothingAdded && !growth.cause) return Rule::nothing_added;
    if (growth.survivors < kFewestSteps) return Rule::few_late_steps;
    if (profile.late_parts() < kFewestParts) return Rule::bursts;
    bool is_arena = growth.block_kind == BlockKind::object_arena;
    if (is_arena && !growth.cause) return Rule::small_objects;
    return evidence.is_by_chance(growth) ? Rule::few_samples : Rule::survivors;
  }

  static GrowthClass class_of(const Growth& growth, Rule rule, bool is_by_chance) {
    switch (rule) {
      case Rule::survivors:
      case Rule::small_objects:
        return GrowthClass::leak;
      case Rule::slows_down:
        return GrowthClass::filling;
      case Rule::nothing_added:
        return GrowthClass::stayed;
      case Rule::only_newest:
      case Rule::released_before:
        return GrowthClass::dismissed;
      default:
        break;
    }
    bool is_suspect = growth.survivors >= kSuspiciousSteps && !is_by_chance;
    return is_suspect ? GrowthClass::suspected : GrowthClass::dismissed;
  }

  // Of fewer steps the later half cannot show what a leak needs, whatever they leave.
  bool is_too_short_to_tell(const Growth& growth, Rule rule) const {
    return growth.what == GrowthClass::suspected && rule == Rule::few_late_steps &&
           static_cast<double>(growth.steps) < 2 * kFewestSteps && is_much_of_peak(growth);
  }

  void judge_survivors(Growth& growth, const StepProfile& profile, const Rising& evidence) {
    Rule rule = rule_for(growth, profile, evidence);
    decide(growth, class_of(growth, rule, evidence.is_by_chance(growth)), rule);
    if (is_too_short_to_tell(growth, rule))
      decide(growth, GrowthClass::too_short, Rule::too_few_steps);
  }

  Frames& frames_;
  const Units& units_;
  const bytecode::Program& program_;
  const Causes& causes_;
  const ledger::Reader& ledger_;
  const RunAxis& axis_;
  std::optional<std::optional<Unit>>
      by_callers_;  // of the line at hand; empty until it is asked for
};

}  // namespace

std::vector<Growth> judge_lines(const ProcessRun& process, const RunAxis& axis,
                                const GrowthLines& lines, const Causes& causes) {
  return LineJudge(process, axis, causes).judge_all(lines);
}

}  // namespace tenure::analyze
