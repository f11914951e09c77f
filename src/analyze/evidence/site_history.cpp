#include "analyze/evidence/site_history.h"

#include <algorithm>
#include <cmath>

#include "analyze/evidence/rules.h"

namespace tenure::analyze {
namespace {

using ledger::kBuckets;
using ledger::Site;

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
  return kept > 0 && lost <= (1 - kStillHeld) * kept;
}

// When it fell below half of the most it held. Of a site that is too small that is not noted, and a block that is resized or
// replaced falls to nothing each time: then its last end tells.
ledger::Release release_of(const Site& site) {
  auto most = static_cast<double>(site.max_live_bytes);
  bool is_pile = most >= kPile * static_cast<double>(site.largest) && site.resizes == 0;
  bool is_last = site.halved.tick == site.last_end_tick;
  if (site.halved.tick != 0 && (is_pile || is_last)) return site.halved;
  return {{}, 0, site.last_end_tick, site.max_live_bytes, 0};
}

// Where the release began that `release_of` tells the middle of; nothing where the site made more meanwhile.
ledger::Release begin_of_release(const Site& site) {
  bool is_one = site.fell.most == site.halved.most && site.last_tick <= site.fell.tick;
  return is_one ? site.fell : ledger::Release{};
}

// What the site held at this tick, nearly.
double held_at(const SiteHistory& history, Tick tick) {
  double held = 0;
  for (const Slice& slice : history.slices) {
    if (slice.from > tick) break;
    held = slice.high;
  }
  return held;
}

// Takes so many bytes away, the oldest first.
void drop_oldest(std::vector<Slice>& slices, double bytes) {
  for (Slice& slice : slices) {
    if (bytes <= 0) return;
    double part = slice.bytes > 0 ? std::min(bytes / slice.bytes, 1.0) : 0;
    bytes -= part * slice.bytes;
    slice.bytes *= 1 - part;
    slice.survivors *= 1 - part;
  }
}

void sort_by_birth(std::vector<Slice>& slices) {
  std::stable_sort(slices.begin(), slices.end(),
                   [](const Slice& x, const Slice& y) { return x.from < y.from; });
}

}  // namespace

void sum_up(SiteHistory& h) {
  h.survivors = h.bytes = 0;
  for (const Slice& slice : h.slices) {
    h.survivors += slice.survivors;
    h.bytes += slice.bytes;
    if (slice.survivors > 0) h.last_birth = std::max(h.last_birth, slice.to);
  }
}

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

SiteHistory history_of(const Site& site, const RunAxis& axis) {
  SiteHistory h;
  h.slices = slices_of(site);
  h.births = static_cast<double>(site.births);
  h.times_empty = site.emptied > site.resizes ? site.emptied - site.resizes : 0;
  auto most = static_cast<double>(site.max_live_bytes), live = static_cast<double>(site.live_bytes);
  bool has_fallen = live < kFallen * most;
  if (has_fallen && site.frozen.bytes > 0 &&
      axis.is_near_end(release_of(site), begin_of_release(site), site.max_live_bytes)) {
    if (!has_lost_newest_only(site, h.slices)) use_frozen(site, h.slices);
  } else if (has_fallen) {
    // What each step makes and frees again may be much beside what it leaves.
    h.is_ended = live < kGoodPart * most;
  }
  if (h.is_ended && site.frozen.bytes > 0) {
    h.at_most = h.slices;
    use_frozen(site, h.at_most);
  }
  sum_up(h);
  return h;
}

SiteHistory join_samples(const SiteHistory& counted, const SiteHistory& sampled,
                         double blocks_per_sample) {
  SiteHistory h;
  h.slices = counted.slices;
  if (!sampled.slices.empty()) {
    const Slice& last = sampled.slices.back();
    double before = 0;
    for (const Slice& slice : h.slices) before += slice.bytes * (1 - share_after(slice, last.to));
    drop_oldest(h.slices, before - std::max(0.0, last.high - sampled.bytes));
  }
  for (Slice& slice : h.slices) slice.high = std::max(slice.high, held_at(sampled, slice.from));
  for (Slice slice : sampled.slices) {
    slice.births *= blocks_per_sample;
    slice.survivors *= blocks_per_sample;
    h.slices.push_back(slice);
  }
  sort_by_birth(h.slices);
  h.births = counted.births + sampled.births * blocks_per_sample;
  h.is_ended = counted.is_ended && sampled.is_ended;
  sum_up(h);
  return h;
}

SiteHistory join_histories(const SiteHistory& a, const SiteHistory& b) {
  SiteHistory h;
  h.slices = a.slices;
  for (Slice& slice : h.slices) slice.high += held_at(b, slice.to);
  for (Slice slice : b.slices) {
    slice.high += held_at(a, slice.to);
    h.slices.push_back(slice);
  }
  sort_by_birth(h.slices);
  h.births = a.births + b.births;
  h.is_ended = a.is_ended && b.is_ended;
  sum_up(h);
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

double survivors_born_after(const SiteHistory& history, Tick tick) {
  double n = 0;
  for (const Slice& slice : history.slices) n += slice.survivors * share_after(slice, tick);
  return n;
}

bool Rise::is_steady() const { return expected > 0 && bytes >= kSteadyRise * expected; }

double births_after(const SiteHistory& history, Tick tick) {
  double n = 0;
  for (const Slice& slice : history.slices) n += slice.births * share_after(slice, tick);
  return n;
}

bool has_released(const SiteHistory& history) {
  double held = 0;
  for (const Slice& slice : history.slices) {
    if (slice.survivors > 0) break;
    held = std::max(held, slice.high);
  }
  return held >= kGoodPart * history.bytes;
}

bool is_still_rising(const SiteHistory& history) {
  if (history.slices.empty()) return false;
  std::optional<Rise> rise = rise_of(history);
  return rise ? rise->is_steady() : history.survivors >= kKeptOfFewBirths * history.births;
}

std::optional<Rise> rise_of(const SiteHistory& history) {
  if (history.slices.size() < kSlicesForRise) return std::nullopt;
  double seen = 0, before = 0, last = 0, expected = 0;
  for (const Slice& slice : history.slices) {
    bool is_last_quarter = seen >= kLastQuarter * history.births;
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

bool is_backlog(const SiteHistory& history) {
  // A long queue that is never empty needs to hold less of what passes through it.
  bool is_queue = history.times_empty < kFewestSteps && history.survivors >= kFewSurvivors;
  double least = is_queue ? kThinBacklog : kGoodPart;
  if (history.slices.size() < kBacklogParts || history.survivors < least * history.births)
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
  // One that held next to nothing for half of its births began to keep them late.
  bool began_late = highs[kBacklogParts / 2 - 1] < kLittleBefore * most;
  return !began_late && oldest == 0 && std::is_sorted(highs.begin(), highs.end()) &&
         highs[kBacklogParts / 2 - 1] <= kBacklogHalfWay * most &&
         most - highs[kBacklogParts - 3] >= kBacklogLastRise * most;
}

std::vector<double> sizes_by_quarter(const SiteHistory& history) {
  if (history.births < kFewestSteps) return {};
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
