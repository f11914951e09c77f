// inproc/accounting/mappings.cpp: the part of Accounting that books mappings and named shared-memory segments.
#include <string.h>

#include "base/hash.h"
#include "inproc/accounting/accounting.h"

namespace tenure::inproc {
namespace {

using ledger::BlockKind;

// A mapping may start at the address of no heap block, so both share the side table.
const void* key_of(uintptr_t start) { return reinterpret_cast<const void*>(start); }

// Segments have no address: a key that no user-space pointer can have.
const void* key_of_name(const char* name) {
  return reinterpret_cast<const void*>(hash_bytes(name, strlen(name)) | 1ull << 63);
}

}  // namespace

void Accounting::mapped(uintptr_t start, uint64_t bytes, BlockKind kind,
                        uintptr_t caller) noexcept {
  if (!is_on()) return;
  if (maps_.add({start, start + bytes, static_cast<uint8_t>(kind)}))
    born(key_of(start), bytes, kind, caller);
}

void Accounting::unmapped(uintptr_t start, uint64_t bytes, uintptr_t caller) noexcept {
  if (!is_on()) return;
  MapTable::Cut cut;
  maps_.cut(start, start + bytes, &cut);
  for (int i = 0; i < cut.touched_count; ++i) ended(key_of(cut.touched[i].start));
  for (int i = 0; i < cut.left_count; ++i) {
    const MappedRange& left = cut.left[i];
    born(key_of(left.start), left.end - left.start, static_cast<BlockKind>(left.kind), caller,
         true);
  }
}

void Accounting::remapped(uintptr_t old, uint64_t old_bytes, uintptr_t now, uint64_t bytes,
                          uintptr_t caller) noexcept {
  if (!is_on()) return;
  MapTable::Cut cut;
  maps_.cut(old, old + old_bytes, &cut);
  for (int i = 0; i < cut.touched_count; ++i) ended(key_of(cut.touched[i].start));
  BlockKind kind =
      cut.touched_count ? static_cast<BlockKind>(cut.touched[0].kind) : BlockKind::anonymous_map;
  if (bytes >= kTrackedMapBytes && maps_.add({now, now + bytes, static_cast<uint8_t>(kind)})) {
    born(key_of(now), bytes, kind, caller, true);
  }
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

void Accounting::segment_unlinked(const char* name) noexcept {
  if (is_on() && name) ended(key_of_name(name));
}

}  // namespace tenure::inproc
