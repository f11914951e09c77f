#include "inproc/accounting/map_table.h"

#include <string.h>

#include "inproc/os/memory.h"

namespace tenure::inproc {

bool MapTable::start() noexcept {
  ranges_ = static_cast<MappedRange*>(map_pages(kRanges * sizeof(MappedRange)));
  return ranges_ != nullptr;
}

void MapTable::restart() noexcept {
  lock_.store(0, std::memory_order_relaxed);
  used_ = 0;
}

uint32_t MapTable::first_ending_after(uintptr_t address) const noexcept {
  uint32_t low = 0, high = used_;
  while (low < high) {
    uint32_t middle = (low + high) / 2;
    if (ranges_[middle].end > address)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

bool MapTable::add(const MappedRange& range) noexcept {
  SpinGuard guard(lock_, LockRank::mappings);
  if (used_ == kRanges) return false;
  uint32_t at = first_ending_after(range.start);
  memmove(ranges_ + at + 1, ranges_ + at, (used_ - at) * sizeof(MappedRange));
  ranges_[at] = range;
  ++used_;
  return true;
}

bool MapTable::make_code(uintptr_t start, uintptr_t end) noexcept {
  constexpr auto kPlain = static_cast<uint8_t>(ledger::BlockKind::anonymous_map);
  SpinGuard guard(lock_, LockRank::mappings);
  uint32_t at = first_ending_after(start);
  if (at == used_ || ranges_[at].start != start || ranges_[at].end != end) return false;
  if (ranges_[at].kind != kPlain) return false;
  ranges_[at].kind = static_cast<uint8_t>(ledger::BlockKind::code_map);
  return true;
}

void MapTable::cut(uintptr_t start, uintptr_t end, Cut* out) noexcept {
  out->touched_count = out->left_count = 0;
  SpinGuard guard(lock_, LockRank::mappings);
  uint32_t first = first_ending_after(start);
  uint32_t last = first;
  for (; last < used_ && ranges_[last].start < end && out->touched_count < kMostTouched; ++last) {
    const MappedRange& r = ranges_[last];
    out->touched[out->touched_count++] = r;
    if (r.start < start) out->left[out->left_count++] = {r.start, start, r.kind};
    if (r.end > end) out->left[out->left_count++] = {end, r.end, r.kind};
  }
  if (first == last) return;
  uint32_t added = static_cast<uint32_t>(out->left_count), removed = last - first;
  if (used_ - removed + added > kRanges) added = 0;
  memmove(ranges_ + first + added, ranges_ + last, (used_ - last) * sizeof(MappedRange));
  memcpy(ranges_ + first, out->left, added * sizeof(MappedRange));
  used_ = used_ - removed + added;
}

}  // namespace tenure::inproc
