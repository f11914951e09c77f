#include "analyze/causes/causes.h"

#include <algorithm>
#include <cstdlib>

#include "analyze/causes/rules.h"
#include "base/sentence_reader.h"

namespace tenure::analyze {
namespace {

// Who occurred where: an encoded sentence whose code is the rank of the line. See python/tenure/_causes.py.
struct Key {
  CauseRank rank = CauseRank::responsible;
  std::string group;     // lines with the same one belong to one cause
  std::string variable;  // the container that fills, if it has a name
};

Key key_of(const ledger::Reader& ledger, const ledger::Cause& cause) {
  std::string_view text = ledger.string({ledger.series_at(cause.series).owner});
  SentenceParts parts = read_sentence(text);
  std::optional<CauseRank> rank = cause_rank_from(parts.code);
  if (!rank) return {CauseRank::responsible, std::string(text), ""};
  return {*rank, std::string(parts["cause"]), std::string(parts["variable"])};
}

bool is_primary(CauseRank rank) {
  return rank == CauseRank::responsible || rank == CauseRank::responsible_with_callees ||
         rank == CauseRank::responsible_for_good;
}

bool has_callees(CauseRank rank) {
  return rank == CauseRank::responsible_with_callees || rank == CauseRank::affected_with_callees;
}

bool ends_with_path(std::string_view path, std::string_view end) {
  return path.size() > end.size() && path.ends_with(end) &&
         path[path.size() - end.size() - 1] == '/';
}

// `src/x.cpp` of `../../src/x.cpp`.
std::string_view without_dots(std::string_view path) {
  while (path.starts_with("../") || path.starts_with("./")) path.remove_prefix(path.find('/') + 1);
  return path;
}

// A line told by a compiler may be relative to where it ran; debug information knows the whole path.
bool is_same_file(const std::string& a, const std::string& b) {
  return a == b || ends_with_path(a, without_dots(b)) || ends_with_path(b, without_dots(a));
}

bool is_at(const CauseLine& line, const ReadableFrame& frame) {
  return line.line == frame.line && is_same_file(line.file, frame.file);
}

// A line that had its part only at the beginning built what the others then add to.
void keep_late_lines(GrowthCause& cause) {
  Tick middle = cause.first_tick + (cause.last_tick - cause.first_tick) / 2;
  std::erase_if(cause.lines, [&](const CauseLine& line) { return line.last_tick < middle; });
}

bool is_of_native_state(const GrowthCause& cause) {
  return cause.kind == Kind::session_unclosed || cause.kind == Kind::graph_growth ||
         cause.kind == Kind::model_rebuilt;
}

// What did not happen any more in the later half of the time since it began is over.
bool is_over(const GrowthCause& cause, Tick end) {
  return cause.last_tick < cause.first_tick + (end - std::min(end, cause.first_tick)) / 2;
}

// Holders that are made anew at the same lines take turns: those before have let go.
bool is_alone(const GrowthCause& cause, const std::vector<GrowthCause>& all) {
  auto is_shared = [&](const CauseLine& line, const GrowthCause& other) {
    return line.is_primary &&
           std::any_of(other.lines.begin(), other.lines.end(), [&](const CauseLine& o) {
             return o.is_primary && o.line == line.line && o.file == line.file;
           });
  };
  return std::none_of(all.begin(), all.end(), [&](const GrowthCause& other) {
    return &other != &cause &&
           std::any_of(cause.lines.begin(), cause.lines.end(),
                       [&](const CauseLine& line) { return is_shared(line, other); });
  });
}

// The adapter saw the objects go while more were made.
bool is_withdrawn(const GrowthCause& cause) {
  return std::any_of(cause.lines.begin(), cause.lines.end(),
                     [](const CauseLine& line) { return line.is_end; });
}

}  // namespace

Causes::Causes(Frames& frames) : frames_(frames) {
  const ledger::Reader& ledger = frames.ledger();
  std::vector<std::string> groups;
  for (const ledger::Cause& seen : ledger.causes()) {
    const ReadableFrame* frame = frames.user_frame(seen.stack);
    std::optional<Kind> kind = kind_from(ledger.string(seen.kind));
    if (!frame || !kind) continue;
    Key key = key_of(ledger, seen);
    auto at =
        static_cast<size_t>(std::find(groups.begin(), groups.end(), key.group) - groups.begin());
    if (at == groups.size()) {
      groups.push_back(key.group);
      GrowthCause& added = causes_.emplace_back();
      added.kind = *kind;
      added.number = static_cast<uint32_t>(std::strtoul(key.group.c_str(), nullptr, 10));
      added.holder = ledger.string(seen.holder);
      added.why = ledger.string(seen.why);
      added.fix = ledger.string(seen.fix);
      added.variable = key.variable;
    }
    GrowthCause& cause = causes_[at];
    const ledger::Series& series = ledger.series_at(seen.series);
    cause.times = std::max(cause.times, series.count.load());
    if (is_primary(key.rank)) cause.objects = std::max(cause.objects, series.count.load());
    cause.forgets_nothing |= key.rank == CauseRank::responsible_for_good;
    bool is_first = cause.lines.empty();
    cause.first_tick = is_first ? series.first_tick : std::min(cause.first_tick, series.first_tick);
    cause.last_tick = std::max(cause.last_tick, series.last_tick);
    cause.lines.push_back({.file = frame->file,
                           .function = frame->function,
                           .line = frame->line,
                           .is_primary = is_primary(key.rank),
                           .has_callees = has_callees(key.rank),
                           .is_end = key.rank == CauseRank::released,
                           .last_tick = series.last_tick});
  }
  for (GrowthCause& cause : causes_) cause.forgets_nothing &= is_alone(cause, causes_);
  Tick end = ledger.header().tick.load();
  for (GrowthCause& cause : causes_) {
    keep_late_lines(cause);
    if (is_over(cause, end) || is_withdrawn(cause)) cause.times = 0;
    has_any_ |= cause.times >= kLeastRecurrences;
  }
}

std::optional<Causes::Match> Causes::of(SiteId site) const {
  if (!has_any_) return std::nullopt;  // most programs; no stack is read
  bool is_innermost = true;
  for (const ReadableFrame& frame : frames_.of(frames_.ledger().sites()[site.value].stack)) {
    if (!frame.is_user) continue;
    for (size_t i = 0; i < causes_.size(); ++i) {
      if (causes_[i].times < kLeastRecurrences) continue;
      for (size_t n = 0; n < causes_[i].lines.size(); ++n) {
        const CauseLine& line = causes_[i].lines[n];
        if ((is_innermost || line.has_callees) && is_at(line, frame)) return Match{i, n};
      }
    }
    is_innermost = false;
  }
  return std::nullopt;
}

std::vector<SiteId> Causes::claimed() const {
  std::vector<SiteId> found;
  if (!has_any_) return found;
  auto sites = frames_.ledger().sites();
  for (uint32_t i = 1; i < sites.size(); ++i) {
    if (sites[i].max_live_bytes >= kLeastClaimed && of(SiteId{i})) found.push_back({i});
  }
  return found;
}

std::optional<Causes::Match> Causes::of_workers(StackId stack) const {
  std::optional<Match> only;
  for (size_t i = 0; i < causes_.size(); ++i) {
    if (causes_[i].times < kLeastRecurrences || !is_of_native_state(causes_[i])) continue;
    if (only) return std::nullopt;
    only = Match{i, 0};
  }
  if (!only) return std::nullopt;
  const std::vector<ReadableFrame>& frames = frames_.of(stack);
  bool has_python = std::any_of(frames.begin(), frames.end(),
                                [](const ReadableFrame& f) { return f.is_python || f.is_user; });
  return has_python ? std::nullopt : only;
}

}  // namespace tenure::analyze
