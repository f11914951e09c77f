#include "analyze/growth/lines.h"

#include <algorithm>
#include <map>

#include "analyze/evidence/rules.h"
#include "analyze/growth/rules.h"

namespace tenure::analyze {
namespace {

using ledger::BlockKind;

LineKey arenas(bool is_ignored) { return {"", 0, "", LineGroup::arenas, is_ignored}; }

LineGroup group_of(BlockKind kind) {
  if (kind == BlockKind::object_arena) return LineGroup::arenas;
  if (kind == BlockKind::code_map) return LineGroup::code;
  return kind == BlockKind::anonymous_map ? LineGroup::maps : LineGroup::blocks;
}

using Match = std::optional<Causes::Match>;

LineGroup group_of(const SiteEvidence& c) { return group_of(static_cast<BlockKind>(c.site->kind)); }

LineKey key_of(const SiteEvidence& c, const Match& cause) {
  bool is_ignored = c.site->is_ignored != 0;
  if (cause) return {"", static_cast<int>(cause->cause), "cause", LineGroup::blocks, is_ignored};
  LineGroup group = group_of(c);
  if (group == LineGroup::arenas) return arenas(is_ignored);
  return {c.user->file, c.user->line, c.user->function, group, is_ignored};
}

class LineFinder {
 public:
  LineFinder(Frames& frames, const Evidence& evidence, const Causes& causes,
             const std::set<SiteId>& kept_by_program)
      : frames_(frames),
        evidence_(evidence),
        causes_(causes),
        kept_by_program_(kept_by_program),
        ledger_(frames.ledger()) {}

  GrowthLines by_line() {
    GrowthLines groups;
    std::vector<Nameless> nameless;
    add_up_frames();
    for (SiteEvidence c : evidence_.sites) {
      Match cause = cause_of(c);
      if (!cause && held_at_frame_[frame_of(c)] * kSitePart < kLeastBytes) continue;
      // Code and constants of modules are loaded once each, however many come one after the other.
      if (is_arena(c) && frames_.is_importing(c.site->stack)) continue;
      c.user = frames_.frame_with_line(c.site->stack);
      if (c.user)
        add_site(std::move(c), cause, groups);
      else if (group_of(c) != LineGroup::code)
        nameless.push_back({std::move(c), cause});
    }
    add_nameless(std::move(nameless), groups);
    return groups;
  }

 private:
  struct Nameless {
    SiteEvidence site;
    Match cause;
  };

  // A recursion makes a site at each of its depths: what they held is one frame's.
  void add_up_frames() {
    for (const SiteEvidence& c : evidence_.sites)
      held_at_frame_[frame_of(c)] += c.site->max_live_bytes;
  }

  // The innermost that is Python's or the program's own; what lies inside serves every caller.
  FrameId frame_of(const SiteEvidence& c) const {
    FrameId innermost{};
    for (StackId node : ledger_.nodes(c.site->stack)) {
      FrameId id = ledger_.stack(node).frame;
      if (!innermost) innermost = id;
      const ledger::Frame& frame = ledger_.frame(id);
      bool is_python = frame.kind == static_cast<uint32_t>(ledger::FrameKind::python);
      if (is_python || frames_.is_user_module(frame.owner)) return id;
    }
    return innermost;
  }

  void add_site(SiteEvidence c, const Match& cause, GrowthLines& groups) {
    c.user_depth = ledger_.stack(c.user->node).depth;
    GrowthLine& line = groups[key_of(c, cause)];
    if (cause) {
      line.cause = cause->cause;
      line.cause_lines[c.id] = cause->line;
    }
    line.sites.push_back(std::move(c));
  }

  // Without a line of the user's only symbols of libraries tell sites apart, and looking them up is slow: they are asked
  // for when enough of it may be growing. Most programs make such blocks at their start, or free them again.
  void add_nameless(std::vector<Nameless> nameless, GrowthLines& groups) {
    MostOfGrowth blocks, of_arenas;
    for (const auto& [site, cause] : nameless)
      add_most(site, cause.has_value(), is_arena(site) ? of_arenas : blocks);
    if (auto found = groups.find(arenas(false)); found != groups.end()) {
      for (const SiteEvidence& site : found->second.sites) add_most(site, false, of_arenas);
    }
    for (auto& [site, cause] : nameless) {
      if (!is_enough(is_arena(site) ? of_arenas : blocks)) continue;
      site.user = frames_.user_frame(site.site->stack);
      if (site.user) add_site(std::move(site), cause, groups);
    }
  }

  // No less than what the judge will count.
  struct MostOfGrowth {
    double late = 0;  // births
    double bytes = 0;
  };

  bool is_enough(const MostOfGrowth& most) const {
    return most.late >= kFewestLate &&
           most.bytes >= static_cast<double>(evidence_.axis.least_bytes);
  }

  static bool is_arena(const SiteEvidence& c) { return group_of(c) == LineGroup::arenas; }

  void add_most(const SiteEvidence& c, bool has_cause, MostOfGrowth& most) const {
    if (c.history.is_ended) return;
    double survivors = survivors_born_after(c.history, evidence_.axis.half);
    double replaced = is_replaced_by_bigger(c) ? births_after(c.history, evidence_.axis.half) : 0;
    if (survivors == 0 && replaced == 0 && !has_cause) return;
    most.late += std::max(survivors, replaced);
    most.bytes +=
        std::max(c.history.bytes, replaced > 0 ? static_cast<double>(c.site->max_live_bytes) : 0);
  }

  Match cause_of(const SiteEvidence& c) const {
    if (!kept_by_program_.contains(c.id)) {
      if (auto cause = causes_.of(c.id)) return cause;
    }
    bool is_often = static_cast<double>(c.site->births) >= 2 * kFewestSteps;
    return is_often ? causes_.of_workers(c.site->stack) : std::nullopt;
  }

  Frames& frames_;
  const Evidence& evidence_;
  const Causes& causes_;
  const std::set<SiteId>& kept_by_program_;
  const ledger::Reader& ledger_;
  std::map<FrameId, uint64_t> held_at_frame_;
};

}  // namespace

GrowthLines growth_lines(Frames& frames, const Evidence& evidence, const Causes& causes,
                         const std::set<SiteId>& kept_by_program) {
  return LineFinder(frames, evidence, causes, kept_by_program).by_line();
}

}  // namespace tenure::analyze
