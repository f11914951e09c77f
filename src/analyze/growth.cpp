#include "analyze/growth.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "analyze/source_line.h"
#include "analyze/step_profile.h"
#include "base/whole.h"

namespace tenure::analyze {
namespace {

using ledger::BlockKind;
using ledger::Site;

// What a leak needs: docs/decisions/0003-leak-test.md.
constexpr double kFewestSteps = 8;       // distinct, in the later half, that left survivors
constexpr int kFewestParts = 5;          // of eight parts of the later half: fewer are bursts
constexpr double kSteady = 0.7;          // of the mean pace; below, it is a cache that fills
constexpr double kSteadySamples = 0.55;  // the same, where chance has a part in it
constexpr uint64_t kLeastBytes = 256 << 10;
constexpr double kLeastShare = 0.01;         // of the most that the program's own work held
constexpr uint64_t kLeastOfCause = 4 << 10;  // of one site among many with one cause
constexpr double kLeastOfQuarter = 0.1;      // of its survivors, from each quarter of its births
constexpr double kHeldToEnd = 0.8;           // of the run, when no loop tells where its work ended
constexpr double kNearlyDone = 0.98;         // of the ticks of the user's loops
constexpr double kPile = 4;                  // blocks at once, and steps: what is less was passing
constexpr double kNewest =
    0.6;  // of the births of a line: survivors only from behind it are its newest
// What is worth a warning.
constexpr double kSuspiciousSteps = 4;
constexpr double kSuspiciousPace = 0.4;
// What is worth the verdict `unknown`.
constexpr double kTooShortShare = 0.5;  // of the peak
constexpr uint64_t kTooShortBytes = 4 << 20;
constexpr double kAlike = 0.1;         // of a size: less is the same piece again
constexpr double kFewestOfBlock = 16;  // sizes of one that grows
constexpr double kFewestLate = 2;  // births in the later half; with fewer there is nothing to tell

struct Candidate {
  SiteId id;
  const Site* site;
  History history;
  const ReadableFrame* user;  // the line it is told under
  uint32_t user_depth;
  std::optional<Causes::Match> cause;
};

struct RunAxis {
  Tick half;          // of the births and of the time, whichever is later
  Tick held_until;    // what was alive then was held to the end
  Tick worked_until;  // the last loop of the user's own went so far
  uint64_t least_bytes;
};

// When the program's own work was over: births and time behind it are the interpreter's teardown, and our last look.
struct RunEnd {
  Tick tick;
  uint64_t mono_ns;  // 0: not known
};

RunEnd end_of(const ledger::Reader& ledger) {
  RunEnd end{ledger.header().tick.load(), 0};
  for (const ledger::Event& event : ledger.events()) {
    if (event.kind == static_cast<uint32_t>(ledger::EventKind::teardown) && event.tick <= end.tick)
      end = {event.tick, event.mono_ns};
  }
  return end;
}

// The tick that was reached when half of the time since `start` had passed. After the last birth time goes on.
Tick half_by_time(const ledger::Reader& ledger, Tick start, RunEnd end) {
  uint64_t first_ns = 0, last_ns = 0, ended_ns = ledger.header().ended_mono_ns.load();
  for (const ledger::TimelineEntry& entry : ledger.timeline()) {
    if (entry.tick > end.tick) continue;
    if (entry.tick <= start || first_ns == 0) first_ns = entry.mono_ns;
    last_ns = std::max(last_ns, entry.mono_ns);
  }
  // Where no teardown was seen, a second or more without births is work of the program; less is its teardown.
  if (end.mono_ns)
    last_ns = std::max(last_ns, end.mono_ns);
  else if (ended_ns > last_ns + 1000000000u)
    last_ns = ended_ns;
  Tick half = 0;
  for (const ledger::TimelineEntry& entry : ledger.timeline()) {
    if (entry.mono_ns <= first_ns + (last_ns - first_ns) / 2) half = entry.tick;
  }
  return half;
}

// The most that was held since `start`, over what was there then.
uint64_t held_since(const ledger::Reader& ledger, Tick start) {
  const ledger::Header& h = ledger.header();
  uint64_t before = 0, most = h.peak_tick.load() >= start ? h.peak_bytes.load() : 0;
  for (const ledger::TimelineEntry& entry : ledger.timeline()) {
    if (entry.tick <= start) before = entry.live_bytes;
    if (entry.tick >= start) most = std::max(most, entry.live_bytes);
  }
  return most > before ? most - before : 0;
}

// The run begins with the program's own first loop: imports make more blocks than many a program, and hold more.
RunAxis axis_of(const ledger::Reader& ledger, const Units& units) {
  RunEnd end = end_of(ledger);
  Tick start = std::min(units.first_tick(), end.tick);
  RunAxis axis{};
  axis.half = std::max(start + (end.tick - start) / 2, half_by_time(ledger, start, end));
  axis.held_until = static_cast<Tick>(kHeldToEnd * static_cast<double>(end.tick));
  if (Tick last = units.last_tick()) {
    axis.held_until = std::min(axis.held_until, last);
    axis.worked_until = start + static_cast<Tick>(kNearlyDone * static_cast<double>(last - start));
  }
  auto held = static_cast<double>(held_since(ledger, start));
  axis.least_bytes = std::max(kLeastBytes, whole(kLeastShare * held));
  return axis;
}

double relative_error(const Site& site) {
  if (site.live_bytes == 0 || site.live_variance <= 0) return 0;
  return std::sqrt(site.live_variance) / static_cast<double>(site.live_bytes);
}

std::string place(const ReadableFrame& frame) {
  return fmt::format("{}:{}", std::filesystem::path(frame.file).filename().string(), frame.line);
}

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

// The outermost loop of the user's own that came round often enough to judge by; else what else was counted. A block that
// grows in no loop of the user's is one that a single call fills: a list, a text, a file that is read.
std::optional<Unit> choose_unit(const Units& units, const Candidate& c, bool is_block) {
  double Slice::* what = is_block ? &Slice::births : &Slice::survivors;
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
    if (unit.is_users && steps >= 2 * kFewestSteps) return unit;
    if (unit.is_users && (!shorter || unit.steps > shorter->steps)) shorter = unit;
    if (!fallback || unit.steps > fallback->steps) fallback = unit;
  }
  bool is_enough = shorter && static_cast<double>(shorter->steps) >= kFewestSteps;
  if (is_enough) return shorter;
  return frameworks ? frameworks : fallback;
}

bool is_growing_block(const Candidate& c) {
  const Site& site = *c.site;
  if (c.history.births < kFewestOfBlock || site.live_count > 2 + site.births / 20) return false;
  std::vector<double> sizes = sizes_by_quarter(c.history);
  for (size_t q = 1; q < sizes.size(); ++q) {
    if (sizes[q] < sizes[q - 1] * 1.05) return false;
  }
  if (sizes.empty() || sizes[3] < 1.5 * sizes[0]) return false;
  // The old block must live on in the new one: resized in place, or read by the line that replaces it.
  return site.resizes * 2 > site.births ||
         assigns_what_it_reads(read_source_line(c.user->file, c.user->line));
}

// One of many sites with one cause may have too few samples to show how it rises.
bool is_mostly_kept(const History& history) {
  return history.survivors > 0 && history.survivors >= 0.8 * history.births;
}

// Survivors from all along its births, beside passing blocks that hide how it rises.
bool is_kept_all_along(const History& history) {
  double quarters[4] = {}, seen = 0;
  for (const Slice& slice : history.slices) {
    double middle = (seen + slice.births / 2) / std::max(1.0, history.births);
    quarters[static_cast<size_t>(std::min(3.0, middle * 4))] += slice.survivors;
    seen += slice.births;
  }
  return history.survivors >= kFewestSteps &&
         *std::min_element(quarters, quarters + 4) >= kLeastOfQuarter * history.survivors;
}

// Made early only, as a library makes what it needs from then on. Samples and arenas are not all that was made.
bool is_warm_up(const Candidate& c, Tick half) {
  auto kind = static_cast<BlockKind>(c.site->kind);
  return kind != BlockKind::small_heap && kind != BlockKind::object_arena &&
         survivors_born_after(c.history, half) < 1;
}

double bytes_of_one(const Candidate& c) {
  return static_cast<double>(c.site->total_bytes) / std::max(1.0, c.history.births);
}

// A site that leaves something in every step, and the steps it does so in.
struct Stepper {
  const Candidate* site;
  Unit unit;
};

// What came in several steps, or in the same pieces, may be growth that took another way later.
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

// A few samples of one site rise and fall by chance; those of all sites of a line together tell.
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

// Beside such a site, what was made early only is what the first steps needed: a workspace, a cache, folded constants.
bool makes_step_by_step(const Candidate& c) {
  return c.history.survivors >= kFewestSteps && !c.history.is_ended && is_still_rising(c.history);
}

bool is_part_of_cause(const History& history) {
  return is_mostly_kept(history) || is_kept_all_along(history);
}

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
    Lines lines = by_line();
    for (auto& [line, members] : lines) {
      if (auto growth = judge(members)) growths.push_back(std::move(*growth));
    }
    std::sort(growths.begin(), growths.end(),
              [](const Growth& a, const Growth& b) { return a.bytes > b.bytes; });
    return growths;
  }

 private:
  enum class Group { blocks, maps, arenas };
  using LineKey = std::tuple<std::string, int, std::string, Group>;
  using Lines = std::map<LineKey, std::vector<Candidate>>;

  static LineKey arenas() { return {"", 0, "", Group::arenas}; }

  static Group group_of(BlockKind kind) {
    if (kind == BlockKind::object_arena) return Group::arenas;
    return kind == BlockKind::anonymous_map ? Group::maps : Group::blocks;
  }

  // All sites that are told under the same line are one cause, and all lines of a cause that an adapter saw; but address
  // space is not added to memory. Python's arenas are one group: the line that needed the next arena made only the last
  // of its objects.
  Lines by_line() {
    Lines groups;
    std::vector<Candidate> nameless;
    auto sites = ledger_.sites();
    for (uint32_t i = 1; i < sites.size(); ++i) {
      const Site& site = sites[i];
      if (site.max_live_bytes < kLeastOfCause ||
          static_cast<BlockKind>(site.kind) == BlockKind::file_map ||
          static_cast<BlockKind>(site.kind) == BlockKind::pool_region)
        continue;
      std::optional<Causes::Match> cause = cause_of(site);
      if (!cause && site.max_live_bytes * 8 < kLeastBytes) continue;
      Candidate c{{i},     &site, history_of(site, axis_.held_until, axis_.worked_until),
                  nullptr, 0,     cause};
      c.user = frames_.frame_with_line(site.stack);
      if (c.user)
        add_candidate(std::move(c), groups);
      else
        nameless.push_back(std::move(c));
    }
    add_nameless(std::move(nameless), groups);
    return groups;
  }

  void add_candidate(Candidate c, Lines& groups) {
    c.user_depth = ledger_.stack(c.user->node).depth;
    LineKey key = key_of(*c.site, *c.user, c.cause);
    groups[key].push_back(std::move(c));
  }

  // Without a line of the user's only symbols of libraries tell sites apart, and those are dear: they are asked for when
  // enough was born late. Most programs make such blocks at their start.
  void add_nameless(std::vector<Candidate> nameless, Lines& groups) {
    double late = 0;
    for (const Candidate& c : nameless) late += most_late_births(c);
    if (auto found = groups.find(arenas()); found != groups.end()) {
      for (const Candidate& c : found->second) late += most_late_births(c);
    }
    if (late < kFewestLate) return;
    for (Candidate& c : nameless) {
      c.user = frames_.user_frame(c.site->stack);
      if (c.user) add_candidate(std::move(c), groups);
    }
  }

  // No less than what the judge will count of it.
  double most_late_births(const Candidate& c) const {
    double survivors = survivors_born_after(c.history, axis_.half);
    return c.history.births < kFewestOfBlock
               ? survivors
               : std::max(survivors, births_after(c.history, axis_.half));
  }

  std::optional<Causes::Match> cause_of(const Site& site) const {
    if (auto cause = causes_.of(site.stack)) return cause;
    return site.births >= 2 * kFewestSteps ? causes_.of_workers(site.stack) : std::nullopt;
  }

  static LineKey key_of(const Site& site, const ReadableFrame& user,
                        const std::optional<Causes::Match>& cause) {
    Group group = group_of(static_cast<BlockKind>(site.kind));
    if (cause) return {"", static_cast<int>(cause->cause), "cause", Group::blocks};
    if (group == Group::arenas) return arenas();
    return {user.file, user.line, user.function, group};
  }

  // The survivors of all sites of a line together, along the unit of the biggest.
  struct Evidence {
    std::vector<const History*> histories;
    double late_births = 0;  // survivors, or growing blocks, born in the later half of the run
    double block_bytes_per_step = 0;
    bool is_block = false;  // the biggest site is one growing block
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
      bool is_rising = is_still_rising(c.history) || (is_sampled(c) && are_samples_rising) ||
                       (growth.cause && is_part_of_cause(c.history));
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
    evidence.has_only_newest = has_only_newest(members, evidence, growth.unit);
    evidence.has_let_go |= let_go_bytes(members, growth.unit) >= static_cast<double>(growth.bytes);
    bool is_worth_a_word = classify(growth, evidence);
    return is_worth_a_word ? std::optional<Growth>(std::move(growth)) : std::nullopt;
  }

  std::optional<Stepper> stepper_of(const std::vector<Candidate>& members) const {
    auto found = std::find_if(members.begin(), members.end(), makes_step_by_step);
    if (found == members.end()) return std::nullopt;
    return Stepper{&*found, choose_unit(units_, *found, false).value_or(Unit{})};
  }

  // Whether what it held at its most was made over several steps. One step alone makes a workspace, or folds constants.
  static bool was_piled_up(const Site& site, const Unit& unit) {
    const ledger::FrozenBuckets& most = site.frozen;
    if (unit.steps == 0 || most.bytes == 0) return true;
    uint32_t first = 0;
    while (first < ledger::kBuckets - 1 && most.live_count[first] == 0) ++first;
    uint32_t finer = site.shift >= most.shift ? site.shift - most.shift : 0;
    Tick from = site.buckets[first >> finer].first_tick;
    return unit.count_at(most.tick) - unit.count_at(from) >= kPile;
  }

  // What sites of the line had piled up over several steps, and then freed.
  static double let_go_bytes(const std::vector<Candidate>& members, const Unit& unit) {
    double bytes = 0;
    for (const Candidate& c : members) {
      auto most = static_cast<double>(c.site->max_live_bytes);
      auto total = static_cast<double>(c.site->total_bytes);
      double of_step = total / std::max(1.0, static_cast<double>(unit.steps));
      bool is_pile = c.history.is_ended && most >= kPile * std::max(bytes_of_one(c), of_step);
      if (is_pile && was_piled_up(*c.site, unit)) bytes += most;
    }
    return bytes;
  }

  // Older blocks of the line are gone, only some from the end are left: a bounded buffer, or what waits for the collector.
  // Measured in steps where they are known: a first step that compiles makes more blocks than all others.
  static bool has_only_newest(const std::vector<Candidate>& members, const Evidence& evidence,
                              const Unit& unit) {
    Tick first = ~Tick{0}, last = 0, first_survivor = ~Tick{0};
    for (const Candidate& c : members) {
      first = std::min(first, c.site->first_tick);
      last = std::max(last, c.site->last_tick);
    }
    for (const History* history : evidence.histories) {
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
    auto at = [&](Tick tick) {
      return unit.steps ? unit.count_at(tick) : static_cast<double>(tick);
    };
    return gone >= 2 * kFewestSteps &&
           at(first_survivor) - at(first) > kNewest * (at(last) - at(first));
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
      growth.per = is_known ? growth.unit.per : "run of " + place(*c.user);
      growth.steps = growth.unit.steps;
      growth.births = c.history.births;
    }
    growth.sites.push_back(c.id);
    growth.is_estimated |= c.site->live_variance > 0;
    growth.relative_error = std::max(growth.relative_error, relative_error(*c.site));
  }

  void add_survivors(const Candidate& c, Growth& growth, Evidence& evidence) {
    if (growth.sites.size() == 1) evidence.has_let_go = has_let_go(c.history);
    growth.bytes += whole(c.history.bytes);
    growth.count += whole(c.history.survivors);
    evidence.late_births += survivors_born_after(c.history, axis_.half);
    evidence.histories.push_back(&c.history);
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
    if (profile.first_step() > 0 && growth.steps)
      growth.bytes_per_step += profile_bytes(evidence) / (steps - profile.first_step() + 1);
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
      growth.missing = "it held a good part of this before, and let it go again";
    else if (growth.block_kind == BlockKind::object_arena && !growth.cause)
      ask_for_holder(growth);
    else
      growth.what = GrowthClass::leak;
    return true;
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
