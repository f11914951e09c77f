#include "analyze/causes.h"

#include <algorithm>
#include <cstdlib>

#include "analyze/source_line.h"

namespace tenure::analyze {
namespace {

constexpr uint64_t kLeastRecurrences = 4;  // growth itself is tested more strictly
constexpr size_t kMostPlaces = 4;
constexpr uint64_t kLeastClaimed = 256 << 10;

// What its line is to a cause: python/tenure/_causes.py.
struct Key {
  char rank = '0';
  std::string group;
};

// "rank|number|file:line", as the adapters write it.
Key key_of(const ledger::Reader& ledger, const ledger::Cause& cause) {
  std::string text(ledger.string({ledger.series_at(cause.series).owner}));
  size_t first = text.find('|'), second = text.find('|', first + 1);
  if (first != 1 || second == std::string::npos) return {'0', text};
  return {text[0], text.substr(2, second - 2)};
}

bool is_primary(char rank) { return rank == '0' || rank == '2' || rank == 'k'; }

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
  return cause.kind == "session-unclosed" || cause.kind == "graph-growth" ||
         cause.kind == "model-rebuilt";
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

// The adapter saw the things go while more were made.
bool is_withdrawn(const GrowthCause& cause) {
  return std::any_of(cause.lines.begin(), cause.lines.end(),
                     [](const CauseLine& line) { return line.is_end; });
}

Holder holder_of(const GrowthCause& cause, const Holder* keeper) {
  constexpr size_t kLongest = 160;
  if (!keeper) return {cause.holder, {}};
  std::string both = cause.holder + ", kept by " + keeper->text;
  bool names_something = cause.holder.find('`') != std::string::npos;
  if (both.size() > kLongest) both = names_something ? cause.holder : keeper->text;
  return {both, keeper->path};
}

}  // namespace

Causes::Causes(Frames& frames) : frames_(frames) {
  const ledger::Reader& ledger = frames.ledger();
  std::vector<std::string> groups;
  for (const ledger::Cause& seen : ledger.causes()) {
    const ReadableFrame* frame = frames.user_frame(seen.stack);
    if (!frame) continue;
    Key key = key_of(ledger, seen);
    auto at =
        static_cast<size_t>(std::find(groups.begin(), groups.end(), key.group) - groups.begin());
    if (at == groups.size()) {
      groups.push_back(key.group);
      GrowthCause& added = causes_.emplace_back();
      added.kind = ledger.string(seen.kind);
      added.number = static_cast<uint32_t>(std::strtoul(key.group.c_str(), nullptr, 10));
      added.holder = ledger.string(seen.holder);
      added.why = ledger.string(seen.why);
      added.fix = ledger.string(seen.fix);
    }
    GrowthCause& cause = causes_[at];
    const ledger::Series& series = ledger.series_at(seen.series);
    cause.times = std::max(cause.times, series.count.load());
    if (is_primary(key.rank)) cause.things = std::max(cause.things, series.count.load());
    cause.forgets_nothing |= key.rank == 'k';
    bool is_first = cause.lines.empty();
    cause.first_tick = is_first ? series.first_tick : std::min(cause.first_tick, series.first_tick);
    cause.last_tick = std::max(cause.last_tick, series.last_tick);
    cause.lines.push_back({.file = frame->file,
                           .function = frame->function,
                           .line = frame->line,
                           .is_primary = is_primary(key.rank),
                           .has_callees = key.rank == '2' || key.rank == '3',
                           .is_end = key.rank == 'x',
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
  if (!has_any_ || left_.contains(site)) return std::nullopt;  // most programs; no stack is read
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

void name_cause(const GrowthCause& cause, const Holder* keeper, Finding& growth) {
  growth.kind = cause.kind;
  bool is_sure = growth.severity == Severity::leak;
  growth.why = is_sure ? cause.why : growth.why + "; " + cause.why;
  growth.fix = is_sure ? cause.fix : "";
  growth.holder = holder_of(cause, keeper);
  std::vector<CauseLine> lines = cause.lines;
  std::stable_sort(lines.begin(), lines.end(), [](const CauseLine& a, const CauseLine& b) {
    return a.is_primary != b.is_primary ? a.is_primary : a.bytes > b.bytes;
  });
  growth.where.clear();
  for (const CauseLine& line : lines) {
    if (has_place(growth, line.file, line.line)) continue;
    if (growth.where.size() == kMostPlaces) break;
    growth.where.push_back(
        {line.file, line.line, line.function, "made at", read_source_line(line.file, line.line)});
  }
}

}  // namespace tenure::analyze
