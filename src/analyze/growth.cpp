#include "analyze/growth.h"

#include <fmt/core.h>

#include <algorithm>

#include "analyze/growth_lines.h"
#include "analyze/let_go.h"
#include "analyze/source_line.h"
#include "analyze/step_profile.h"
#include "base/whole.h"

namespace tenure::analyze {
namespace {

using ledger::BlockKind;

// What a leak needs: docs/decisions/0003-leak-test.md.
constexpr int kFewestParts = 5;          // of eight parts of the later half: fewer are bursts
constexpr double kSteady = 0.7;          // of the mean pace; below, it is a cache that fills
constexpr double kSteadySamples = 0.55;  // the same, where chance has a part in it
// What is worth a warning.
constexpr double kSuspiciousSteps = 4;
constexpr double kSuspiciousPace = 0.4;
constexpr uint64_t kFewestSamples = 32;  // fewer are where they are by chance
// What is worth the verdict `unknown`.
constexpr double kTooShortShare = 0.5;  // of the peak
constexpr uint64_t kTooShortBytes = 4 << 20;

class GrowthFinder {
 public:
  GrowthFinder(Frames& frames, const Units& units, const Causes& causes)
      : frames_(frames),
        units_(units),
        causes_(causes),
        ledger_(frames.ledger()),
        axis_(axis_of(frames.ledger(), units)) {}

  std::vector<Growth> find() {
    std::vector<Growth> growths;
    GrowthLines lines = growth_lines(frames_, causes_, axis_);
    for (auto& [line, members] : lines) {
      if (std::get<LineGroup>(line) == LineGroup::code) continue;
      auto growth = judge(members);
      if (!growth) continue;
      growth->is_of_compiler = is_of_compiler(*growth, lines, line);
      growths.push_back(std::move(*growth));
    }
    std::sort(growths.begin(), growths.end(),
              [](const Growth& a, const Growth& b) { return a.bytes > b.bytes; });
    return growths;
  }

 private:
  // The survivors of all sites of a line together, along the unit of the biggest.
  struct Evidence {
    std::vector<const History*> histories;
    double late_births = 0;  // survivors, or growing blocks, born in the later half of the run
    double block_bytes_per_step = 0;
    bool is_block = false;  // the biggest site is one growing block
    bool is_backlog = false;
    Tick first_birth = 0;  // of the biggest site
    bool has_let_go = false;
    bool has_only_newest = false;
  };

  std::optional<Growth> judge(std::vector<Candidate>& members) {
    // Blocks of worker threads know no loop: the first one gives the unit.
    std::sort(members.begin(), members.end(), [](const Candidate& a, const Candidate& b) {
      return a.user->is_python != b.user->is_python ? a.user->is_python
                                                    : a.history.bytes > b.history.bytes;
    });
    Growth growth;
    Evidence evidence;
    if (members[0].cause) begin_cause(members, growth);
    bool are_samples_rising = is_sample_rising(members);
    std::optional<Stepper> stepper = stepper_of(members);
    for (const Candidate& c : members) {
      bool is_needed_early = growth.cause || (stepper && is_of_one_step(c, *stepper));
      if (c.history.is_ended || (is_needed_early && is_warm_up(c, axis_.half))) continue;
      bool is_block = !growth.cause && is_growing_block(c);
      bool is_rising = is_still_rising(c.history) || is_backlog(c.history) ||
                       (is_sampled(c) && are_samples_rising) ||
                       (growth.cause && is_part_of_cause(c.history, growth.unit));
      if (!is_block && !is_rising) continue;
      add_site(c, is_block, growth);
      if (growth.cause && c.user->is_python)
        growth.cause->lines[c.cause->line].bytes += whole(c.history.bytes);
      if (is_block)
        add_growing_block(c, growth, evidence);
      else
        add_survivors(c, growth, evidence);
    }
    if (growth.sites.empty() || growth.bytes < axis_.least_bytes) return std::nullopt;
    evidence.has_only_newest =
        is_full_buffer_of_samples(members) ||
        (!evidence.is_backlog && has_only_newest(members, evidence.histories, growth.unit));
    evidence.has_let_go |=
        let_go_bytes(units_, members, growth.unit) >= static_cast<double>(growth.bytes);
    // Blocks that went were of the making, not of what is kept.
    evidence.has_let_go &= !growth.cause || !growth.cause->forgets_nothing;
    bool is_worth_a_word = classify(growth, evidence) && !is_of_ending(growth);
    return is_worth_a_word ? std::optional<Growth>(std::move(growth)) : std::nullopt;
  }

  // What is made below exit() goes with the program, however long a loop makes it.
  bool is_of_ending(const Growth& growth) {
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
    for (const Candidate& code : found->second) late += births_after(code.history, axis_.half);
    ModuleId compiler = found->second.front().site->asker;
    return late >= kFewestSteps &&
           std::all_of(growth.sites.begin(), growth.sites.end(), [&](SiteId id) {
             const ledger::Site& site = ledger_.sites()[id.value];
             std::string_view asker = ledger_.string(ledger_.module(site.asker.value).path);
             return !site.is_tensor &&
                    (site.asker == compiler || asker.find("/libstdc++") != asker.npos);
           });
  }

  std::optional<Stepper> stepper_of(const std::vector<Candidate>& members) const {
    auto found = std::find_if(members.begin(), members.end(), makes_step_by_step);
    if (found == members.end()) return std::nullopt;
    return Stepper{&*found, choose_unit(units_, *found, false).value_or(Unit{})};
  }

  // Its lines may stand anywhere; the loop is that of the biggest site that knows one.
  void begin_cause(const std::vector<Candidate>& members, Growth& growth) {
    growth.cause = causes_[members[0].cause->cause];
    for (const Candidate& c : members) {
      if (c.history.is_ended || !c.user->is_python) continue;
      auto unit = choose_unit(units_, c, false);
      if (!unit || !unit->is_users || static_cast<double>(unit->steps) < kFewestSteps) continue;
      growth.unit = *unit;
      return;
    }
  }

  void add_site(const Candidate& c, bool is_block, Growth& growth) {
    if (growth.sites.empty()) {
      growth.block_kind = static_cast<BlockKind>(c.site->kind);
      bool has_unit = growth.unit.steps > 0;
      if (auto unit = has_unit ? std::nullopt : choose_unit(units_, c, is_block))
        growth.unit = *unit;
      bool is_known = growth.unit.is_users || growth.unit.is_frameworks;
      growth.per = is_known ? growth.unit.per : "run of " + short_place(c.user->file, c.user->line);
      growth.steps = growth.unit.steps;
      growth.births = c.history.births;
    }
    growth.sites.push_back(c.id);
    growth.lives.push_back(c.history.slices);
    growth.is_estimated |= is_sampled(c) || c.site->live_variance > 0;
    growth.relative_error = std::max(growth.relative_error, relative_error(*c.site));
  }

  void add_survivors(const Candidate& c, Growth& growth, Evidence& evidence) {
    if (growth.sites.size() == 1) {
      evidence.is_backlog = is_backlog(c.history);
      evidence.has_let_go = !evidence.is_backlog && has_let_go(c.history);
      evidence.first_birth = c.site->first_tick;
    }
    growth.bytes += whole(c.history.bytes);
    growth.bytes_at_end += c.site->live_bytes;
    growth.count += whole(c.history.survivors);
    evidence.late_births += survivors_born_after(c.history, half_for(growth.unit));
    evidence.histories.push_back(&c.history);
  }

  // Steps of a framework are the program's work, whatever comes after them. A loop may only have prepared it.
  Tick half_for(const Unit& unit) const {
    bool has_steps = unit.is_frameworks && static_cast<double>(unit.steps) >= 2 * kFewestSteps;
    return has_steps ? std::min(axis_.half, unit.middle()) : axis_.half;
  }

  void add_growing_block(const Candidate& c, Growth& growth, Evidence& evidence) {
    if (growth.sites.size() == 1) evidence.is_block = true;
    growth.bytes += c.site->max_live_bytes;
    growth.count += 1;
    evidence.late_births += births_after(c.history, axis_.half);
    // Mean sizes of the first and last quarter lie three quarters of the steps apart.
    std::vector<double> sizes = sizes_by_quarter(c.history);
    if (growth.steps)
      evidence.block_bytes_per_step +=
          (sizes[3] - sizes[0]) / (0.75 * static_cast<double>(growth.steps));
  }

  // False: not even worth a warning.
  bool classify(Growth& growth, const Evidence& evidence) {
    StepProfile profile(growth.unit);
    for (const History* history : evidence.histories) profile.add(*history);
    growth.bytes_per_step = evidence.block_bytes_per_step;
    auto steps = static_cast<double>(growth.steps);
    // The oldest of a backlog are gone, but it grew from its first step on.
    double first =
        evidence.is_backlog ? growth.unit.step_at(evidence.first_birth) : profile.first_step();
    if (profile.first_step() > 0 && growth.steps)
      growth.bytes_per_step += profile_bytes(evidence) / (steps - first + 1);
    growth.survivors = evidence.is_block ? evidence.late_births
                                         : std::min(profile.late_steps(), evidence.late_births);
    if (steps < kFewestSteps) return is_too_short(growth, evidence);
    growth.what = GrowthClass::suspected;
    if (evidence.is_block) return judge_block(growth);
    return judge_survivors(growth, profile, evidence);
  }

  static double profile_bytes(const Evidence& evidence) {
    double bytes = 0;
    for (const History* history : evidence.histories) bytes += history->bytes;
    return bytes;
  }

  bool is_too_short(Growth& growth, const Evidence& evidence) {
    double peak = static_cast<double>(ledger_.header().peak_bytes.load());
    growth.what = GrowthClass::too_short;
    return growth.steps >= 3 && growth.bytes >= kTooShortBytes &&
           evidence.late_births >= kFewestLate &&
           static_cast<double>(growth.bytes) >= kTooShortShare * peak;
  }

  static bool judge_block(Growth& growth) {
    growth.missing = "too little of it was made in the later half of the run";
    if (growth.survivors >= kFewestSteps) growth.what = GrowthClass::growing_block;
    return growth.survivors >= kSuspiciousSteps;
  }

  static void ask_for_holder(Growth& growth) {
    growth.missing = "it is made of small Python objects, whose lines are not known";
    growth.needs_holder = true;
  }

  static void say_let_go(Growth& growth) {
    growth.missing = "it held a good part of this before, and let it go again";
    growth.has_let_go = true;
  }

  static bool judge_survivors(Growth& growth, const StepProfile& profile,
                              const Evidence& evidence) {
    double pace = profile.pace(growth.is_estimated);
    double steady = growth.is_estimated ? kSteadySamples : kSteady;
    int parts = profile.late_parts();
    if (growth.survivors < kSuspiciousSteps || pace < kSuspiciousPace) return false;
    if (growth.survivors < kFewestSteps)
      growth.missing = "too few steps of the later half of the run added to it";
    else if (parts < kFewestParts)
      growth.missing = "it was made in a few bursts, not step by step";
    else if (pace < steady)
      growth.missing = "ever more slowly, as a cache does that fills up";
    else if (evidence.has_only_newest)
      growth.missing = "only its newest blocks are left; older ones were let go";
    else if (evidence.has_let_go)
      say_let_go(growth);
    else if (growth.block_kind == BlockKind::object_arena && !growth.cause)
      ask_for_holder(growth);
    else
      growth.what = GrowthClass::leak;
    bool is_by_chance = growth.block_kind == BlockKind::small_heap && growth.count < kFewestSamples;
    return growth.what == GrowthClass::leak || !is_by_chance;
  }

  Frames& frames_;
  const Units& units_;
  const Causes& causes_;
  const ledger::Reader& ledger_;
  RunAxis axis_;
};

}  // namespace

std::vector<Growth> find_growth(Frames& frames, const Units& units, const Causes& causes) {
  return GrowthFinder(frames, units, causes).find();
}

}  // namespace tenure::analyze
