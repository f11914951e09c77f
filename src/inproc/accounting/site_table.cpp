#include "inproc/accounting/site_table.h"

#include <algorithm>

#include "base/hash.h"
#include "inproc/stacks/users_part.h"

namespace tenure::inproc {
namespace {

using ledger::Bucket;
using ledger::kBuckets;
using ledger::Site;
using ledger::TableId;

constexpr auto kSites = static_cast<uint32_t>(TableId::sites);
// A program of very many stacks would use up the table: the last quarter is for the user's own lines. Imports and compilers
// may have ten thousand, so they get the first quarter.
constexpr uint32_t kAll = ledger::kCapacity[kSites];
constexpr uint32_t kFineSites = kAll / 4 * 3;
constexpr uint32_t kFineMinorSites = kAll / 4;
// Bytes of one site: where less was given back is not asked.
constexpr uint64_t kLeastPile = 256 << 10;

// Values at the last peak are saved by the first change after it; until then the live values are they.
void save_at_peak(Site& site, uint32_t epoch) noexcept {
  if (site.at_peak_epoch == epoch) return;
  site.at_peak_bytes = site.live_bytes;
  site.at_peak_count = site.live_count;
  site.at_peak_epoch = epoch;
}

// Ticks are given before the site's lock is taken, so of two threads the later may come first.
uint32_t span_of(Tick first, Tick last) noexcept {
  Tick span = last > first ? last - first : 0;
  return span < ~0u ? static_cast<uint32_t>(span) : ~0u;
}

void halve_buckets(Site& site) noexcept {
  for (uint32_t i = 0; i < kBuckets; ++i) {
    Bucket merged{};
    if (2 * i < kBuckets) {
      const Bucket& a = site.buckets[2 * i];
      const Bucket& b = site.buckets[2 * i + 1];
      merged = {
          a.live_bytes + b.live_bytes,
          a.born_bytes + b.born_bytes,
          a.high_bytes > b.high_bytes ? a.high_bytes : b.high_bytes,
          a.first_tick,
          a.live_count + b.live_count,
          span_of(a.first_tick, b.born_bytes ? b.first_tick + b.span : a.first_tick + a.span)};
    }
    site.buckets[i] = merged;
  }
  ++site.shift;
}

// Called at the first end after the site held more than ever: keeps the survivors as they were then.
void freeze(Site& site, Tick tick) noexcept {
  ledger::FrozenBuckets& frozen = site.frozen;
  frozen.bytes = site.live_bytes;
  frozen.births = site.births;
  frozen.tick = tick;
  frozen.count = static_cast<uint32_t>(site.live_count);
  frozen.shift = site.shift;
  for (uint32_t i = 0; i < kBuckets; ++i) {
    frozen.live_bytes[i] = site.buckets[i].live_bytes;
    frozen.live_count[i] = site.buckets[i].live_count;
  }
}

// `most` is set here, under the site's lock: of several threads one looks where it is.
SiteTable::Fall fall_of(Site& site) noexcept {
  uint64_t most = site.max_live_bytes, live = site.live_bytes;
  if (live >= most - most / 8 || most < kLeastPile) return SiteTable::Fall::none;
  auto is_new = [most](const ledger::Release& release) {
    return most >= release.most + release.most / 4;
  };
  if (live < most / 2 && is_new(site.halved)) {
    site.halved.most = most;
    if (is_new(site.fell)) site.fell.most = most;
    return SiteTable::Fall::below_half;
  }
  if (!is_new(site.fell)) return SiteTable::Fall::none;
  site.fell.most = most;
  return SiteTable::Fall::below_seven_eighths;
}

}  // namespace

bool SiteTable::start(ledger::Writer* ledger) noexcept {
  ledger_ = ledger;
  return table_.start();
}

void SiteTable::restart() noexcept { table_.clear(); }

uint32_t SiteTable::add(const SiteKey& key) noexcept {
  uint32_t index = ledger_->claim(TableId::sites, 1);
  if (index == ledger::Writer::kNone) return 0;
  Site& site = *ledger_->record<Site>(TableId::sites, index);
  site.stack = key.stack;
  site.op = key.op;
  site.forward = key.forward;
  site.kind = static_cast<uint8_t>(key.kind);
  site.is_tensor = key.is_tensor;
  site.is_ignored = key.is_ignored;
  ledger_->publish(TableId::sites, index + 1);
  return index;
}

SiteId SiteTable::find(const SiteKey& key) noexcept {
  if (SiteId known = find(key, kFineMinorSites)) return known;
  bool is_small = key.kind == ledger::BlockKind::small_heap;
  bool is_minor =
      is_importing(*ledger_, key.stack) || (is_small && !has_users_frame(*ledger_, key.stack));
  if (!is_minor) {
    if (SiteId known = find(key, kFineSites)) return known;
    ledger_->lose(ledger::Loss::site_coarsened);
  }
  SiteKey coarse = key;
  coarse.stack = users_part(*ledger_, key.stack);
  return find(coarse, kAll);
}

SiteId SiteTable::find(const SiteKey& key, uint32_t room) noexcept {
  uint64_t hash = mix(mix(key.stack.value, key.forward.value),
                      static_cast<uint64_t>(key.op.value) << 8 | kind_of(key));
  auto equal = [&](uint32_t id) {
    const Site& s = *ledger_->record<Site>(TableId::sites, id);
    return s.stack == key.stack && s.kind == static_cast<uint8_t>(key.kind) && s.op == key.op &&
           s.forward == key.forward && (s.is_tensor != 0) == key.is_tensor &&
           (s.is_ignored != 0) == key.is_ignored;
  };
  auto make = [&]() -> uint32_t { return ledger_->used(TableId::sites) < room ? add(key) : 0; };
  return {table_.find_or_add(hash, equal, make)};
}

void SiteTable::describe(SiteId id, ModuleId asker, FrameId entered) noexcept {
  Site& s = site(id);
  SpinGuard guard(s.lock, LockRank::site);
  s.asker = asker;
  s.entered = entered;
}

// Sampled births are rare, but not so rare that each could search: the twin is looked for at births 0, 1, 2, 4, 8...
const Site* SiteTable::exact_twin(Site& s) noexcept {
  uint32_t known = __atomic_load_n(&s.exact.value, __ATOMIC_RELAXED);
  uint64_t births = __atomic_load_n(&s.births, __ATOMIC_RELAXED);
  if (!known && !(births & (births - 1))) {
    SiteKey key{s.stack,   ledger::BlockKind::heap, s.op,
                s.forward, s.is_tensor != 0,        s.is_ignored != 0};
    known = find(key, 0).value;
    __atomic_store_n(&s.exact.value, known, __ATOMIC_RELAXED);
  }
  return known ? &site({known}) : nullptr;
}

uint32_t SiteTable::birth(SiteId id, Tick tick, const Weight& weight, bool is_resize) noexcept {
  Site& s = site(id);
  const bool is_sample = weight.variance != 0;
  const Site* twin = is_sample ? exact_twin(s) : nullptr;
  const uint64_t of_twin = twin ? __atomic_load_n(&twin->live_bytes, __ATOMIC_RELAXED) : 0;
  SpinGuard guard(s.lock, LockRank::site);
  save_at_peak(s, peak_epoch());
  uint64_t ordinal = s.births;
  __atomic_store_n(&s.births, ordinal + 1, __ATOMIC_RELAXED);  // for is_fresh()
  while (ordinal >> s.shift >= kBuckets) halve_buckets(s);
  Bucket& bucket = s.buckets[ordinal >> s.shift];
  if (bucket.born_bytes == 0) bucket.first_tick = tick;
  bucket.span = std::max(bucket.span, span_of(bucket.first_tick, tick));
  bucket.live_bytes += weight.bytes;
  bucket.born_bytes += weight.bytes;
  ++bucket.live_count;
  s.total_bytes += weight.bytes;
  s.total_count += weight.count;
  s.live_bytes += weight.bytes;
  s.live_count += weight.count;
  if (is_sample) {
    s.total_variance += weight.variance;
    s.live_variance += weight.variance;
  }
  s.resizes += is_resize;
  if (ordinal == 0) s.first_tick = tick;
  s.last_tick = tick;
  if (weight.bytes > s.largest) s.largest = weight.bytes;
  bucket.high_bytes = std::max(bucket.high_bytes, s.live_bytes + of_twin);
  s.max_live_bytes = std::max(s.max_live_bytes, s.live_bytes);
  return static_cast<uint32_t>(ordinal);
}

Tick SiteTable::born_at(SiteId id, uint32_t ordinal) noexcept {
  Site& s = site(id);
  SpinGuard guard(s.lock, LockRank::site);
  uint64_t index = ordinal >> s.shift;
  if (index >= kBuckets) return s.last_tick;
  uint64_t within = ordinal & ((uint64_t{1} << s.shift) - 1);
  return s.buckets[index].first_tick + (s.buckets[index].span * within >> s.shift);
}

SiteTable::Fall SiteTable::end(SiteId id, uint32_t ordinal, Tick tick,
                               const Weight& weight) noexcept {
  Site& s = site(id);
  SpinGuard guard(s.lock, LockRank::site);
  save_at_peak(s, peak_epoch());
  if (s.live_bytes == s.max_live_bytes && s.live_bytes > s.frozen.bytes + s.frozen.bytes / 16)
    freeze(s, tick);
  uint64_t index = ordinal >> s.shift;
  if (index < kBuckets) {  // ordinals beyond 2^32 births wrap; then the bucket is only approximate
    Bucket& bucket = s.buckets[index];
    bucket.live_bytes -= weight.bytes;
    --bucket.live_count;
  }
  s.live_bytes -= weight.bytes;
  s.live_count -= weight.count;
  if (weight.variance != 0) s.live_variance -= weight.variance;
  s.last_end_tick = tick;
  s.emptied += s.live_count == 0;
  return fall_of(s);
}

void SiteTable::note_release(SiteId id, Fall fall, StackId stack, Moment when) noexcept {
  Site& s = site(id);
  SpinGuard guard(s.lock, LockRank::site);
  ledger::Release& release = fall == Fall::below_half ? s.halved : s.fell;
  release.stack = stack;
  release.tick = when.tick;
  release.cpu_ns = when.cpu_ns;
}

}  // namespace tenure::inproc
