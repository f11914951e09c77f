#include "analyze/growth.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "analyze/source_line.h"

namespace tenure::analyze {
namespace {

using ledger::BlockKind;
using ledger::Site;

constexpr double kFewestSurvivors = 8;  // distinct births, or steps, in the later half
constexpr uint64_t kLeastBytes = 256 << 10;
constexpr double kLeastShare = 0.01;    // of the peak
constexpr double kTooShortShare = 0.5;  // of the peak: only then are few steps worth a word
constexpr uint64_t kTooShortBytes = 4 << 20;

struct Candidate {
  SiteId id;
  const Site* site;
  History history;
  const ReadableFrame* user;  // the line it is told under
  uint32_t user_depth;
};

struct RunAxis {
  Tick end;
  Tick half_by_tick;
  Tick half_by_time;  // the tick reached when half of the time had passed
  uint64_t least_bytes;
};

// The run begins with the program's own first loop: imports make more blocks than many a program.
RunAxis axis_of(const ledger::Reader& ledger, Tick start) {
  RunAxis axis{};
  const ledger::Header& h = ledger.header();
  axis.end = h.tick.load();
  axis.half_by_tick = start + (axis.end - start) / 2;
  uint64_t first_ns = 0, last_ns = 0;
  for (const ledger::TimelineEntry& entry : ledger.timeline()) {
    if (entry.tick <= start || first_ns == 0) first_ns = entry.mono_ns;
    last_ns = entry.mono_ns;
  }
  for (const ledger::TimelineEntry& entry : ledger.timeline()) {
    if (entry.mono_ns <= first_ns + (last_ns - first_ns) / 2) axis.half_by_time = entry.tick;
  }
  axis.least_bytes = std::max(
      kLeastBytes, static_cast<uint64_t>(kLeastShare * static_cast<double>(h.peak_bytes.load())));
  return axis;
}

double relative_error(const Site& site) {
  if (site.live_bytes == 0 || site.live_variance <= 0) return 0;
  return std::sqrt(site.live_variance) / static_cast<double>(site.live_bytes);
}

std::string place(const ReadableFrame& frame) {
  return fmt::format("{}:{}", std::filesystem::path(frame.file).filename().string(), frame.line);
}

// Survivors born in both later halves: of the births and of the time.
double late_survivors(const History& history, const RunAxis& axis) {
  return survivors_born_after(history, std::max(axis.half_by_tick, axis.half_by_time));
}

// Growth along a unit is regular when survivors and steps go together from the first survivor to the end.
bool is_regular(const History& history, const Unit& unit) {
  double first = -1, last = 0, seen = 0, worst = 0;
  for (const Slice& slice : history.slices) {
    if (slice.survivors <= 0) continue;
    if (first < 0) first = unit.count_at(slice.from);
    last = std::max(last, unit.count_at(slice.to));
  }
  if (last - first < 1) return false;
  for (const Slice& slice : history.slices) {
    double steps = (unit.count_at(slice.from) - first) / (last - first);
    worst = std::max(worst, std::abs(seen / history.survivors - steps));
    seen += slice.survivors;
  }
  return worst < 0.35;
}

std::optional<Unit> choose_unit(const Units& units, const Candidate& c) {
  std::optional<Unit> fallback;
  for (Unit& unit : units.around(c.site->stack, c.user_depth)) {
    if (unit.steps < 2 || !is_regular(c.history, unit)) continue;
    if (unit.is_users && unit.steps >= kFewestSurvivors) return unit;
    if (!fallback || unit.steps > fallback->steps) fallback = unit;
  }
  return fallback;
}

// Steps between the first survivor and the end of the births.
double steps_spanned(const History& history, const Unit& unit) {
  Tick first = 0;
  for (const Slice& slice : history.slices) {
    if (slice.survivors > 0 && first == 0) first = slice.from;
  }
  double spanned = unit.marks.empty() ? 0 : unit.marks.back().count - unit.count_at(first);
  return std::max(1.0, spanned);
}

bool is_growing_block(const Candidate& c) {
  const Site& site = *c.site;
  if (c.history.births < 16 || site.live_count > 2 + site.births / 20) return false;
  std::vector<double> sizes = sizes_by_quarter(c.history);
  for (size_t q = 1; q < sizes.size(); ++q) {
    if (sizes[q] < sizes[q - 1] * 1.05) return false;
  }
  if (sizes.empty() || sizes[3] < 1.5 * sizes[0]) return false;
  // The old block must live on in the new one: resized in place, or read by the line that replaces it.
  return site.resizes * 2 > site.births ||
         assigns_what_it_reads(read_source_line(c.user->file, c.user->line));
}

class GrowthFinder {
 public:
  GrowthFinder(Frames& frames, const Units& units)
      : frames_(frames),
        units_(units),
        ledger_(frames.ledger()),
        axis_(axis_of(frames.ledger(), units.first_tick())) {}

  std::vector<Growth> find() {
    std::vector<Growth> growths;
    for (auto& [line, members] : by_line()) {
      if (auto growth = judge(members)) growths.push_back(std::move(*growth));
    }
    std::sort(growths.begin(), growths.end(),
              [](const Growth& a, const Growth& b) { return a.bytes > b.bytes; });
    return growths;
  }

 private:
  using LineKey = std::tuple<std::string, int, std::string, bool>;

  // All sites that are told under the same line are one cause. Python's arenas are one group: the line that needed the
  // next arena made only the last of its objects.
  std::map<LineKey, std::vector<Candidate>> by_line() {
    std::map<LineKey, std::vector<Candidate>> groups;
    auto sites = ledger_.sites();
    for (uint32_t i = 1; i < sites.size(); ++i) {
      const Site& site = sites[i];
      if (site.max_live_bytes * 8 < kLeastBytes ||
          static_cast<BlockKind>(site.kind) == BlockKind::file_map)
        continue;
      const ReadableFrame* user = frames_.user_frame(site.stack);
      if (!user) continue;
      bool is_arena = static_cast<BlockKind>(site.kind) == BlockKind::object_arena;
      LineKey key = is_arena ? LineKey{"", 0, "", true}
                             : LineKey{user->file, user->line, user->function, false};
      groups[key].push_back(
          {{i}, &site, history_of(site, axis_.end), user, ledger_.stack(user->node).depth});
    }
    return groups;
  }

  std::optional<Growth> judge(std::vector<Candidate>& members) {
    std::sort(members.begin(), members.end(), [](const Candidate& a, const Candidate& b) {
      return a.history.bytes > b.history.bytes;
    });
    Growth growth;
    double bytes_per_step = 0;
    for (Candidate& c : members) {
      if (c.history.is_ended) continue;
      if (is_growing_block(c))
        add_growing_block(c, growth, bytes_per_step);
      else if (is_still_rising(c.history))
        add(c, growth, bytes_per_step);
    }
    if (growth.sites.empty() || growth.bytes < axis_.least_bytes) return std::nullopt;
    growth.bytes_per_step = bytes_per_step;
    classify(growth, members);
    bool is_worth_a_word =
        growth.what != GrowthClass::suspected || growth.steps >= kFewestSurvivors;
    return is_worth_a_word ? std::optional<Growth>(std::move(growth)) : std::nullopt;
  }

  void add_counts(const Candidate& c, Growth& growth) {
    if (growth.sites.empty()) {
      growth.block_kind = static_cast<BlockKind>(c.site->kind);
      if (auto unit = choose_unit(units_, c)) growth.unit = *unit;
      bool is_named = growth.unit.is_users;
      growth.per = is_named ? growth.unit.per : "run of " + place(*c.user);
      growth.steps = growth.unit.steps;
      growth.births = c.history.births;
    }
    growth.sites.push_back(c.id);
    growth.is_estimated |= c.site->live_variance > 0;
    growth.relative_error = std::max(growth.relative_error, relative_error(*c.site));
  }

  void add(const Candidate& c, Growth& growth, double& bytes_per_step) {
    add_counts(c, growth);
    growth.bytes += static_cast<uint64_t>(c.history.bytes);
    growth.count += static_cast<uint64_t>(c.history.survivors);
    growth.survivors += late_survivors(c.history, axis_);
    // Only what is made inside the unit grows with its steps.
    auto unit = growth.steps ? choose_unit(units_, c) : std::nullopt;
    if (unit && unit->per == growth.unit.per) {
      bytes_per_step += c.history.bytes / steps_spanned(c.history, growth.unit);
    }
  }

  void add_growing_block(const Candidate& c, Growth& growth, double& bytes_per_step) {
    bool is_first = growth.sites.empty();
    add_counts(c, growth);
    if (is_first) growth.what = GrowthClass::growing_block;
    std::vector<double> sizes = sizes_by_quarter(c.history);
    growth.bytes += c.site->max_live_bytes;
    growth.count += 1;
    growth.survivors += kFewestSurvivors;
    // Mean sizes of the first and last quarter lie three quarters of the steps apart.
    if (growth.steps)
      bytes_per_step += (sizes[3] - sizes[0]) / (0.75 * static_cast<double>(growth.steps));
  }

  void classify(Growth& growth, const std::vector<Candidate>& members) {
    bool is_block = growth.what == GrowthClass::growing_block;
    bool is_arena = growth.block_kind == BlockKind::object_arena;
    double peak = static_cast<double>(ledger_.header().peak_bytes.load());
    if (growth.steps < kFewestSurvivors) {
      bool is_much = growth.bytes >= kTooShortBytes &&
                     static_cast<double>(growth.bytes) >= kTooShortShare * peak;
      growth.what = GrowthClass::suspected;
      growth.missing = "no loop of the program could be seen to repeat around it";
      if (growth.steps >= 3 && is_much && late_survivors(members[0].history, axis_) >= 2)
        growth.what = GrowthClass::too_short;
    } else if (growth.survivors < kFewestSurvivors) {
      growth.what = GrowthClass::suspected;
      growth.missing = "too little of it was made in the later half of the run";
    } else if (is_arena) {
      growth.what = GrowthClass::suspected;
      growth.missing = "it is made of small Python objects, whose lines are not known";
    } else if (!is_block) {
      growth.what = GrowthClass::leak;
    }
  }

  Frames& frames_;
  const Units& units_;
  const ledger::Reader& ledger_;
  RunAxis axis_;
};

}  // namespace

std::vector<Growth> find_growth(Frames& frames, const Units& units) {
  return GrowthFinder(frames, units).find();
}

}  // namespace tenure::analyze
