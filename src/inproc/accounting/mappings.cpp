// inproc/accounting/mappings.cpp: the part of Accounting that books mappings and named shared-memory segments.
#include <string.h>

#include "base/hash.h"
#include "inproc/accounting/accounting.h"
#include "inproc/accounting/thread_state.h"

namespace tenure::inproc {
namespace {

using ledger::BlockKind;

// A mapping may start at the address of no heap block, so both share the side table.
const void* key_of(uintptr_t start) { return reinterpret_cast<const void*>(start); }

// Segments have no address: a key that no user-space pointer can have.
const void* key_of_name(const char* name) {
  return reinterpret_cast<const void*>(hash_bytes(name, strlen(name)) | 1ull << 63);
}

// Pages of a file are resident too, and go with the mapping: nothing else tells later what of the peak they were.
bool is_big_file(const MapTable::Cut& cut) {
  constexpr uint64_t kWorthALook = 16 << 20;
  uint64_t bytes = 0;
  for (int i = 0; i < cut.touched_count; ++i) {
    const MappedRange& range = cut.touched[i];
    auto kind = static_cast<BlockKind>(range.kind);
    if (kind == BlockKind::file_map || kind == BlockKind::shared_map)
      bytes += range.end - range.start;
  }
  return bytes >= kWorthALook;
}

}  // namespace

// Runs `change` on the table of mappings. False: this is a signal handler, and the table's lock may be held below us.
template <class Change>
bool Accounting::with_maps(ledger::Loss otherwise, Change change) noexcept {
  BusyGuard busy;
  notice_fork(static_cast<bool>(busy));
  if (!is_on()) return false;
  if (busy)
    change();
  else
    ledger_.lose(otherwise);
  return static_cast<bool>(busy);
}

// Ends what is known in the range, and keeps what sticks out of it. Returns the kind of the first range that was there.
BlockKind Accounting::end_maps(uintptr_t start, uintptr_t end, uintptr_t caller) noexcept {
  BlockKind kind = BlockKind::anonymous_map;
  MapTable::Cut cut{};
  do {
    if (!with_maps(ledger::Loss::unmatched_end, [&] { maps_.cut(start, end, &cut); })) break;
    if (is_big_file(cut)) measure_file_pages();
    if (cut.touched_count) kind = static_cast<BlockKind>(cut.touched[0].kind);
    for (int i = 0; i < cut.touched_count; ++i) ended(key_of(cut.touched[i].start));
    for (int i = 0; i < cut.left_count; ++i) {
      const MappedRange& left = cut.left[i];
      born(key_of(left.start), left.end - left.start, static_cast<BlockKind>(left.kind), caller,
           true);
    }
  } while (cut.touched_count == MapTable::kMostTouched);
  return kind;
}

void Accounting::add_map(uintptr_t start, uint64_t bytes, BlockKind kind, uintptr_t caller,
                         bool is_resize) noexcept {
  end_maps(start, start + bytes, caller);  // what is still known there ended unseen
  bool is_added = false;
  with_maps(ledger::Loss::untracked_birth,
            [&] { is_added = maps_.add({start, start + bytes, static_cast<uint8_t>(kind)}); });
  if (is_added) born(key_of(start), bytes, kind, caller, is_resize);
}

void Accounting::mapped(uintptr_t start, uint64_t bytes, BlockKind kind,
                        uintptr_t caller) noexcept {
  if (is_on()) add_map(start, bytes, kind, caller, false);
}

void Accounting::unmapped(uintptr_t start, uint64_t bytes, uintptr_t caller) noexcept {
  if (is_on()) end_maps(start, start + bytes, caller);
}

void Accounting::remapped(uintptr_t old, uint64_t old_bytes, uintptr_t now, uint64_t bytes,
                          uintptr_t caller) noexcept {
  if (!is_on()) return;
  BlockKind kind = end_maps(old, old + old_bytes, caller);
  if (bytes >= kTrackedMapBytes) add_map(now, bytes, kind, caller, true);
}

void Accounting::became_code(uintptr_t start, uint64_t bytes, uintptr_t caller) noexcept {
  bool is_new = false;
  if (!is_on()) return;
  with_maps(ledger::Loss::untracked_birth, [&] { is_new = maps_.make_code(start, start + bytes); });
  if (!is_new) return;
  ended(key_of(start));
  born(key_of(start), bytes, BlockKind::code_map, caller);
}

void Accounting::segment_opened(int fd, const char* name) noexcept {
  if (!is_on() || fd < 0 || fd >= kSegmentDescriptors) return;
  segment_names_[fd].store(reinterpret_cast<uintptr_t>(key_of_name(name)),
                           std::memory_order_relaxed);
}

void Accounting::segment_sized(int fd, uint64_t bytes, uintptr_t caller) noexcept {
  if (!is_on() || fd < 0 || fd >= kSegmentDescriptors) return;
  uintptr_t key = segment_names_[fd].exchange(0, std::memory_order_relaxed);
  if (key && bytes)
    born(reinterpret_cast<const void*>(key), bytes, BlockKind::shared_segment, caller);
}

// A descriptor that is still open may give it a size yet: then it goes with its last mapping, and is no segment any more.
void Accounting::segment_unlinked(const char* name) noexcept {
  if (!is_on() || !name) return;
  const void* key = key_of_name(name);
  for (std::atomic<uintptr_t>& opened : segment_names_) {
    auto expected = reinterpret_cast<uintptr_t>(key);
    opened.compare_exchange_strong(expected, 0, std::memory_order_relaxed);
  }
  ended(key);
}

}  // namespace tenure::inproc
