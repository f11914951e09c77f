#include "inproc/snapshot/late_growth.h"

#include <algorithm>

#include "inproc/stacks/users_part.h"
#include "ledger/layout.h"

namespace tenure::inproc {
namespace {

using ledger::BlockKind;
using ledger::SeriesKind;
using ledger::Site;
using ledger::TableId;

// Below the analysis's own limits (256 KiB, 1 % of the peak, 2/3 of the axis, 8 rounds): what it may tell of must be seen.
constexpr uint64_t kLeastBytes = 64 << 10;
constexpr uint64_t kPeakShare = 400;
constexpr double kEarly = 0.6;       // of the run: what was made until then and stayed is no growth
constexpr uint32_t kFewResizes = 4;  // of a block that grows
constexpr uint64_t kFewSizes = 8;    // of a block that is replaced by a bigger one
constexpr double kRise = 1.05;       // of the sizes from one third of its births to the next
constexpr uint32_t kLoneSites = 8;   // with a block or two each
constexpr uint64_t kLoneBirths = 2;
constexpr Tick kMostIsLate =
    8;  // of a site's time up to a look: its most in the last part is of then
constexpr uint64_t kFewestRounds = 8;  // of a loop in which modules may be loaded again and again

uint64_t cpu_at(const ledger::Writer& ledger, Tick tick) noexcept {
  uint32_t count = ledger.used(TableId::timeline);
  uint64_t cpu = 0;
  for (uint32_t i = 1; i < count; ++i) {
    const auto& entry = *ledger.record<ledger::TimelineEntry>(TableId::timeline, i);
    if (entry.tick > tick) break;
    cpu = entry.cpu_ns;
  }
  return cpu;
}

// The first tick behind kEarly of the run, by births and processor time alike.
Tick late_from(const ledger::Writer& ledger, uint64_t cpu_ns) noexcept {
  Tick now = ledger.header().tick.load(std::memory_order_relaxed), low = 0, high = now;
  while (low < high) {
    Tick middle = low + (high - low) / 2;
    double births = static_cast<double>(middle) / static_cast<double>(now);
    double work =
        cpu_ns ? static_cast<double>(cpu_at(ledger, middle)) / static_cast<double>(cpu_ns) : births;
    if ((births + work) / 2 < kEarly)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// What the site kept of blocks made since, without its last ones: those may be in use.
uint64_t kept_since(const Site& site, Tick from) noexcept {
  uint64_t bytes = 0;
  uint64_t last = site.births > 0 ? (site.births - 1) >> site.shift : 0;
  for (uint64_t i = 0; i < std::min<uint64_t>(last, ledger::kBuckets); ++i) {
    const ledger::Bucket& bucket = site.buckets[i];
    if (bucket.first_tick + bucket.span >= from) bytes += bucket.live_bytes;
  }
  return bytes;
}

bool has_grown_by_resizing(const Site& site, Tick from) noexcept {
  return site.resizes >= kFewResizes && site.last_tick >= from && site.live_bytes >= kLeastBytes;
}

double mean_size(const Site& site, uint64_t bucket) noexcept {
  uint64_t first = bucket << site.shift;
  uint64_t births = std::min(site.births - first, uint64_t{1} << site.shift);
  return static_cast<double>(site.buckets[bucket].born_bytes) / static_cast<double>(births);
}

// `log = log + line`: of all the blocks only the last one is left, and it is the biggest.
bool has_grown_by_copies(const Site& site, Tick from) noexcept {
  if (site.births < kFewSizes || site.last_tick < from || site.live_bytes < kLeastBytes)
    return false;
  uint64_t last = (site.births - 1) >> site.shift;
  double first_size = mean_size(site, 0), middle_size = mean_size(site, last / 2);
  return middle_size > first_size * kRise && mean_size(site, last) > middle_size * kRise;
}

bool can_be_held(const Site& site) noexcept {
  auto kind = static_cast<BlockKind>(site.kind);
  return kind != BlockKind::file_map && kind != BlockKind::pool_region &&
         kind != BlockKind::code_map;
}

bool is_memory(const Site& site) noexcept { return site.live_bytes > 0 && can_be_held(site); }

uint64_t least_worth(const ledger::Writer& ledger) noexcept {
  uint64_t peak = ledger.header().peak_bytes.load(std::memory_order_relaxed);
  return std::max(kLeastBytes, peak / kPeakShare);
}

bool is_loop_of_users(const ledger::Series& series) noexcept {
  bool is_users = series.is_users || series.kind == static_cast<uint32_t>(SeriesKind::named);
  return is_users && series.count.load(std::memory_order_relaxed) >= kFewestRounds;
}

// Modules are loaded once, unless the program does so in a loop.
bool are_imports_done_once(const ledger::Writer& ledger) noexcept {
  for (uint32_t i = 1, count = ledger.used(TableId::series); i < count; ++i) {
    if (is_loop_of_users(*ledger.record<ledger::Series>(TableId::series, i))) return false;
  }
  return true;
}

// The site made blocks and held its most about then, or later: what a loop's first rounds held is not what the look was for,
// nor what was made before and stayed.
bool was_growing_at(const Site& site, Tick look) noexcept {
  Tick slack = look > site.first_tick ? (look - site.first_tick) / kMostIsLate : 0;
  return std::min(site.frozen.tick, site.last_tick) + slack >= look;
}

// Of what it held at its most, the blocks from before the last few births.
uint64_t piled_up(const ledger::FrozenBuckets& most) noexcept {
  uint64_t bytes = 0, last = most.births > 0 ? (most.births - 1) >> most.shift : 0;
  for (uint64_t i = 0; i < std::min<uint64_t>(last, ledger::kBuckets); ++i)
    bytes += most.live_bytes[i];
  return bytes;
}

// One block that was resized or replaced by bigger ones. Whether it grew is left to the analysis.
bool was_one_block(const Site& site) noexcept {
  return site.resizes >= kFewResizes || (site.births >= kFewSizes && site.frozen.count <= 1);
}

bool has_causes(const ledger::Writer& ledger) noexcept { return ledger.used(TableId::causes) > 1; }

}  // namespace

bool has_late_growth(const ledger::Writer& ledger, uint64_t cpu_ns) noexcept {
  if (has_causes(ledger)) return true;
  const uint64_t limit = least_worth(ledger);
  const Tick from = late_from(ledger, cpu_ns);
  const bool are_imports_left_out = are_imports_done_once(ledger);
  uint64_t kept = 0, lone_bytes = 0, largest_lone = 0, lone_sites = 0;
  for (uint32_t i = 1, count = ledger.used(TableId::sites); i < count; ++i) {
    const Site& site = *ledger.record<Site>(TableId::sites, i);
    if (!is_memory(site) || site.last_tick < from) continue;
    if (are_imports_left_out && is_loading_library(ledger, site.stack)) continue;
    if (has_grown_by_resizing(site, from) || has_grown_by_copies(site, from)) return true;
    kept += kept_since(site, from);
    if (kept >= limit) return true;
    if (site.births > kLoneBirths) continue;
    ++lone_sites;
    lone_bytes += site.live_bytes;
    largest_lone = std::max(largest_lone, site.live_bytes);
  }
  return lone_sites >= kLoneSites && lone_bytes - largest_lone >= limit;
}

bool has_released_growth(const ledger::Writer& ledger, Tick look) noexcept {
  if (has_causes(ledger)) return true;
  uint64_t lost = 0, lone_bytes = 0, lone_sites = 0;
  const uint64_t limit = least_worth(ledger);
  for (uint32_t i = 1, count = ledger.used(TableId::sites); i < count; ++i) {
    const Site& site = *ledger.record<Site>(TableId::sites, i);
    const ledger::FrozenBuckets& most = site.frozen;
    if (!can_be_held(site) || most.bytes <= site.live_bytes || !was_growing_at(site, look))
      continue;
    const uint64_t gone = most.bytes - site.live_bytes;
    if (gone >= kLeastBytes && was_one_block(site)) return true;
    lost += std::min(gone, piled_up(most));
    lone_sites += site.births <= kLoneBirths;
    lone_bytes += site.births <= kLoneBirths ? gone : 0;
  }
  return lost >= limit || (lone_sites >= kLoneSites && lone_bytes >= limit);
}

}  // namespace tenure::inproc
