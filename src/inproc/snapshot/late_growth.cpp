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

bool is_memory(const Site& site) noexcept {
  auto kind = static_cast<BlockKind>(site.kind);
  return site.live_bytes > 0 && kind != BlockKind::file_map && kind != BlockKind::pool_region &&
         kind != BlockKind::code_map;
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

bool has_causes(const ledger::Writer& ledger) noexcept { return ledger.used(TableId::causes) > 1; }

}  // namespace

bool has_late_growth(const ledger::Writer& ledger, uint64_t cpu_ns) noexcept {
  if (has_causes(ledger)) return true;
  const uint64_t limit = std::max(
      kLeastBytes, ledger.header().peak_bytes.load(std::memory_order_relaxed) / kPeakShare);
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

}  // namespace tenure::inproc
