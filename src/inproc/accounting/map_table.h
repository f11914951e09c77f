// inproc/accounting/map_table.h: mappings the program made itself, by address range; they can end piece by piece.
// World: inside. Any thread, one lock: mappings of tracked size are rare.
#pragma once
#include <cstddef>
#include <cstdint>

#include "inproc/os/spin_lock.h"
#include "ledger/layout.h"

namespace tenure::inproc {

inline constexpr size_t kTrackedMapBytes = 64 << 10;

struct MappedRange {
  uintptr_t start;
  uintptr_t end;
  uint8_t kind;  // ledger::BlockKind
};

class MapTable {
 public:
  bool start() noexcept;
  void restart() noexcept;

  bool add(const MappedRange& range) noexcept;

  // Makes code of a plain mapping of just this range. False: there is none, or it is code already.
  bool make_code(uintptr_t start, uintptr_t end) noexcept;

  // Removes [start, end) from the table. Ranges that were touched are put in `touched` (whole, as they were), what is
  // left of them in `left`. Returns the number touched, at most kMostTouched; the caller books ends and rests.
  static constexpr int kMostTouched = 16;
  struct Cut {
    MappedRange touched[kMostTouched];
    int touched_count;
    MappedRange left[kMostTouched + 1];
    int left_count;
  };
  void cut(uintptr_t start, uintptr_t end, Cut* out) noexcept;

 private:
  static constexpr uint32_t kRanges = 64 << 10;
  uint32_t first_ending_after(uintptr_t address) const noexcept;

  std::atomic<uint8_t> lock_{0};
  MappedRange* ranges_ = nullptr;  // sorted, disjoint; guarded by lock_
  uint32_t used_ = 0;
};

}  // namespace tenure::inproc
