#include "analyze/survivors.h"

#include <algorithm>
#include <cmath>

namespace tenure::analyze {
namespace {

using ledger::kBuckets;
using ledger::Site;

constexpr double kNearlyAll =
    0.9;  // of the most it ever held: then today's survivors are the evidence
constexpr double kSampleErrors = 3;      // chance makes this many of its own measure, rarely more
constexpr double kLeastOfSamples = 0.5;  // of the most, whatever chance may do
constexpr double kNearEnd = 0.75;        // of the births
constexpr double kGoodPart = 0.25;       // of what is alive now, or was made
constexpr size_t kBacklogParts = 8;      // of the births
constexpr double kHalfWay = 0.7;         // of the most, after half of the births
constexpr double kLastRise = 0.15;       // of the most, over the last quarter of them

// Births in bucket `i` when `births` have been given out.
double births_in(uint32_t i, uint64_t births, uint32_t shift) {
  uint64_t first = static_cast<uint64_t>(i) << shift, last = (static_cast<uint64_t>(i) + 1)
                                                             << shift;
  return first >= births ? 0 : static_cast<double>(std::min(last, births) - first);
}

// The share of a slice that lies after `tick`, births being spread evenly in it.
double share_after(const Slice& slice, Tick tick) {
  if (slice.from >= tick) return 1;
  if (slice.to <= tick) return 0;
  return static_cast<double>(slice.to - tick) / static_cast<double>(slice.to - slice.from);
}

// Puts the survivors of the frozen moment in place of today's. The bucket width may have doubled since.
void use_frozen(const Site& site, std::vector<Slice>& slices) {
  uint32_t finer = site.shift >= site.frozen.shift ? site.shift - site.frozen.shift : 0;
  for (Slice& slice : slices) slice.survivors = slice.bytes = 0;
  for (uint32_t i = 0; i < kBuckets; ++i) {
    size_t at = i >> finer;
    if (at >= slices.size()) break;
    slices[at].survivors += site.frozen.live_count[i];
    slices[at].bytes += static_cast<double>(site.frozen.live_bytes[i]);
  }
}

// What has gone since the site held most was just in use then: all that is older is still there.
bool has_lost_newest_only(const Site& site, const std::vector<Slice>& now) {
  if (site.frozen.births == 0) return false;
  std::vector<Slice> then = now;
  use_frozen(site, then);
  size_t newest = (site.frozen.births - 1) >> site.shift;
  double kept = 0, lost = 0;
  for (size_t i = 0; i < now.size(); ++i) {
    kept += now[i].bytes;
    if (i != newest) lost += std::max(0.0, then[i].bytes - now[i].bytes);
  }
  return kept > 0 && lost <= (1 - kNearlyAll) * kept;
}

// What a site may hold at least that still holds nearly all. Samples come and go by chance: by the root of their number.
double nearly_all(const Site& site, bool is_sampled) {
  auto most = static_cast<double>(site.frozen.bytes);
  if (!is_sampled) return kNearlyAll * most;
  double one = static_cast<double>(site.total_bytes) / static_cast<double>(site.births);
  return std::max(kLeastOfSamples * most, most - kSampleErrors * std::sqrt(most * one));
}

// The moment is saved again only when there is a sixteenth more: what rises slowly was last saved long before its end, and
// has held nearly as much or more ever since.
bool held_ever_since(const Site& site, const std::vector<Slice>& slices) {
  bool is_sampled = static_cast<ledger::BlockKind>(site.kind) == ledger::BlockKind::small_heap;
  double least = nearly_all(site, is_sampled);
  size_t newest = site.frozen.births ? (site.frozen.births - 1) >> site.shift : 0;
  for (size_t i = newest + 1; i < slices.size(); ++i) {
    if (slices[i].high < least) return false;
  }
  // Samples may have been most by chance a little before the end.
  bool is_near_end =
      static_cast<double>(site.frozen.births) >= kNearEnd * static_cast<double>(site.births);
  return site.max_live_bytes > site.frozen.bytes || (is_sampled && is_near_end);
}

}  // namespace

std::vector<Slice> slices_of(const Site& site) {
  std::vector<Slice> slices;
  for (uint32_t i = 0; i < kBuckets; ++i) {
    const ledger::Bucket& bucket = site.buckets[i];
    double births = births_in(i, site.births, site.shift);
    if (births == 0) break;
    Slice slice{bucket.first_tick,
                bucket.first_tick + bucket.span,
                births,
                static_cast<double>(bucket.live_count),
                static_cast<double>(bucket.live_bytes),
                static_cast<double>(bucket.born_bytes),
                static_cast<double>(bucket.high_bytes)};
    slices.push_back(slice);
  }
  return slices;
}

History history_of(const Site& site, Tick held_until, Tick worked_until) {
  History h;
  h.slices = slices_of(site);
  h.births = static_cast<double>(site.births);
  auto most = static_cast<double>(site.max_live_bytes);
  bool holds_now = static_cast<double>(site.live_bytes) >= kNearlyAll * most;
  if (!holds_now) {
    bool is_all_gone = site.live_bytes == 0 && site.last_end_tick < worked_until;
    bool has_held = !h.slices.empty() && held_ever_since(site, h.slices);
    Tick held_at = has_held ? h.slices.back().to : site.frozen.tick;
    bool held_to_end = held_at >= held_until && !is_all_gone;
    bool went_on = !has_held && static_cast<double>(site.births) >
                                    static_cast<double>(site.frozen.births) * 1.1 + 8;
    bool is_gone = !held_to_end || went_on || site.frozen.bytes == 0;
    // What each step makes and frees again may be much beside what it leaves.
    h.is_ended = is_gone && static_cast<double>(site.live_bytes) < kGoodPart * most;
    if (!is_gone && !has_lost_newest_only(site, h.slices)) use_frozen(site, h.slices);
  }
  for (const Slice& slice : h.slices) {
    h.survivors += slice.survivors;
    h.bytes += slice.bytes;
  }
  return h;
}

Tick born_at(const std::vector<Slice>& slices, double ordinal) {
  for (const Slice& slice : slices) {
    if (ordinal < slice.births)
      return slice.from +
             static_cast<Tick>(static_cast<double>(slice.to - slice.from) * ordinal / slice.births);
    ordinal -= slice.births;
  }
  return slices.empty() ? 0 : slices.back().to;
}

double survivors_born_after(const History& history, Tick tick) {
  double n = 0;
  for (const Slice& slice : history.slices) n += slice.survivors * share_after(slice, tick);
  return n;
}

double births_after(const History& history, Tick tick) {
  double n = 0;
  for (const Slice& slice : history.slices) n += slice.births * share_after(slice, tick);
  return n;
}

bool has_let_go(const History& history) {
  double held = 0;
  for (const Slice& slice : history.slices) {
    if (slice.survivors > 0) break;
    held = std::max(held, slice.high);
  }
  return held >= kGoodPart * history.bytes;
}

bool is_still_rising(const History& history) {
  if (history.slices.empty()) return false;
  std::optional<Rise> rise = rise_of(history);
  return rise ? rise->is_steady() : history.survivors >= 0.5 * history.births;
}

std::optional<Rise> rise_of(const History& history) {
  if (history.slices.size() < 4) return std::nullopt;
  double seen = 0, before = 0, last = 0, expected = 0;
  for (const Slice& slice : history.slices) {
    bool is_last_quarter = seen >= 0.75 * history.births;
    seen += slice.births;
    if (is_last_quarter) {
      last = std::max(last, slice.high);
      expected += slice.bytes;
    } else {
      before = std::max(before, slice.high);
    }
  }
  return Rise{last - before, expected};
}

bool is_backlog(const History& history) {
  if (history.slices.size() < kBacklogParts || history.survivors < kGoodPart * history.births)
    return false;
  std::vector<double> highs(kBacklogParts, 0);
  double seen = 0, oldest = 0;
  for (const Slice& slice : history.slices) {
    auto part = static_cast<size_t>(kBacklogParts * seen / history.births);
    double& high = highs[std::min(part, kBacklogParts - 1)];
    high = std::max(high, slice.high);
    oldest += part == 0 ? slice.survivors : 0;
    seen += slice.births;
  }
  double most = highs.back();
  return oldest == 0 && std::is_sorted(highs.begin(), highs.end()) &&
         highs[kBacklogParts / 2 - 1] <= kHalfWay * most &&
         most - highs[kBacklogParts - 3] >= kLastRise * most;
}

std::vector<double> sizes_by_quarter(const History& history) {
  if (history.births < 8) return {};
  std::vector<double> bytes(4, 0), births(4, 0);
  double seen = 0;
  for (const Slice& slice : history.slices) {
    auto quarter = static_cast<size_t>(
        std::min(3.0, std::floor(4 * (seen + slice.births / 2) / history.births)));
    bytes[quarter] += slice.born_bytes;
    births[quarter] += slice.births;
    seen += slice.births;
  }
  for (size_t q = 0; q < 4; ++q) bytes[q] = births[q] > 0 ? bytes[q] / births[q] : 0;
  return bytes;
}

}  // namespace tenure::analyze
