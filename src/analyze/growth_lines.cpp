#include "analyze/growth_lines.h"

#include <algorithm>

namespace tenure::analyze {
namespace {

using ledger::BlockKind;
using ledger::Site;

constexpr uint64_t kLeastOfCause = 4 << 10;  // of one site among many with one cause

LineKey arenas() { return {"", 0, "", LineGroup::arenas}; }

LineGroup group_of(BlockKind kind) {
  if (kind == BlockKind::object_arena) return LineGroup::arenas;
  if (kind == BlockKind::code_map) return LineGroup::code;
  return kind == BlockKind::anonymous_map ? LineGroup::maps : LineGroup::blocks;
}

LineKey key_of(const Site& site, const ReadableFrame& user,
               const std::optional<Causes::Match>& cause) {
  LineGroup group = group_of(static_cast<BlockKind>(site.kind));
  if (cause) return {"", static_cast<int>(cause->cause), "cause", LineGroup::blocks};
  if (group == LineGroup::arenas) return arenas();
  return {user.file, user.line, user.function, group};
}

class LineFinder {
 public:
  LineFinder(Frames& frames, const Causes& causes, const RunAxis& axis)
      : frames_(frames), causes_(causes), ledger_(frames.ledger()), axis_(axis) {}

  GrowthLines by_line() {
    GrowthLines groups;
    std::vector<Candidate> nameless;
    auto sites = ledger_.sites();
    for (uint32_t i = 1; i < sites.size(); ++i) {
      const Site& site = sites[i];
      if (site.max_live_bytes < kLeastOfCause ||
          static_cast<BlockKind>(site.kind) == BlockKind::file_map ||
          static_cast<BlockKind>(site.kind) == BlockKind::pool_region)
        continue;
      if (frames_.is_of_adapters(site)) continue;
      std::optional<Causes::Match> cause = cause_of({i}, site);
      if (!cause && site.max_live_bytes * 8 < kLeastBytes) continue;
      Candidate c{{i},     &site, history_of(site, axis_.held_until, axis_.worked_until),
                  nullptr, 0,     cause};
      c.user = frames_.frame_with_line(site.stack);
      if (c.user)
        add_candidate(std::move(c), groups);
      else if (group_of(static_cast<BlockKind>(site.kind)) != LineGroup::code)
        nameless.push_back(std::move(c));
    }
    add_nameless(std::move(nameless), groups);
    return groups;
  }

 private:
  void add_candidate(Candidate c, GrowthLines& groups) {
    c.user_depth = ledger_.stack(c.user->node).depth;
    LineKey key = key_of(*c.site, *c.user, c.cause);
    groups[key].push_back(std::move(c));
  }

  // Without a line of the user's only symbols of libraries tell sites apart, and those are dear: they are asked for when
  // enough of it may be growing. Most programs make such blocks at their start, or free them again.
  void add_nameless(std::vector<Candidate> nameless, GrowthLines& groups) {
    MostOfGrowth blocks, of_arenas;
    for (const Candidate& c : nameless) add_most(c, is_arena(c) ? of_arenas : blocks);
    if (auto found = groups.find(arenas()); found != groups.end()) {
      for (const Candidate& c : found->second) add_most(c, of_arenas);
    }
    for (Candidate& c : nameless) {
      if (!is_enough(is_arena(c) ? of_arenas : blocks)) continue;
      c.user = frames_.user_frame(c.site->stack);
      if (c.user) add_candidate(std::move(c), groups);
    }
  }

  // No less than what the judge will count.
  struct MostOfGrowth {
    double late = 0;  // births
    double bytes = 0;
  };

  bool is_enough(const MostOfGrowth& most) const {
    return most.late >= kFewestLate && most.bytes >= static_cast<double>(axis_.least_bytes);
  }

  static bool is_arena(const Candidate& c) {
    return group_of(static_cast<BlockKind>(c.site->kind)) == LineGroup::arenas;
  }

  void add_most(const Candidate& c, MostOfGrowth& most) const {
    if (c.history.is_ended) return;
    double survivors = survivors_born_after(c.history, axis_.half);
    double replaced = is_replaced_by_bigger(c) ? births_after(c.history, axis_.half) : 0;
    if (survivors == 0 && replaced == 0 && !c.cause) return;
    most.late += std::max(survivors, replaced);
    most.bytes +=
        std::max(c.history.bytes, replaced > 0 ? static_cast<double>(c.site->max_live_bytes) : 0);
  }

  std::optional<Causes::Match> cause_of(SiteId id, const Site& site) const {
    if (auto cause = causes_.of(id)) return cause;
    return site.births >= 2 * kFewestSteps ? causes_.of_workers(site.stack) : std::nullopt;
  }

  Frames& frames_;
  const Causes& causes_;
  const ledger::Reader& ledger_;
  const RunAxis& axis_;
};

}  // namespace

GrowthLines growth_lines(Frames& frames, const Causes& causes, const RunAxis& axis) {
  return LineFinder(frames, causes, axis).by_line();
}

}  // namespace tenure::analyze
