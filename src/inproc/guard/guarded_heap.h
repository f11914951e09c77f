// inproc/guard/guarded_heap.h: the heap of `tenure run --guard`: each block ends where its last page ends, behind it no
// page is, and the addresses of a freed block lead nowhere for a long time. Whoever uses them stops at that instruction.
// World: inside. Any thread, signal handlers too; without a lock.
// Cost: two system calls and a page fault a block, and a whole page for the smallest.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/ids.h"
#include "inproc/territory/address_ring.h"

namespace tenure::inproc {

// What is known of a block, also after its end.
struct GuardedBlock {
  uintptr_t address;
  size_t bytes;  // as they were asked for
  KnownStack born, ended;
  bool is_live;
};

enum class Release : uint8_t {
  done,
  overrun,  // done, but somebody has written behind its end
  again,    // it had ended before
  unknown,  // no block begins at this address
};

class GuardedHeap {
 public:
  static constexpr size_t kPage = 4096;
  static constexpr size_t kAllFrom = 1024;  // smaller blocks are too many
  static constexpr uint64_t kSmallAtFirst = 100'000, kSmallOneIn = 16;

  struct Room {
    uintptr_t base;
    size_t bytes;  // handed out before the first of them come again; its table takes a thousandth
    uint32_t most_live;  // blocks
  };
  // Before the program's first thread. False, and off: no such addresses, or no memory for the books.
  bool start(Room room) noexcept;
  bool is_on() const noexcept { return ring_.is_started(); }

  // Whether the address is, was or will be inside a block of ours or right behind one.
  bool holds(const void* p) const noexcept { return ring_.holds(p); }

  // As many blocks live as may.
  bool is_full() const noexcept { return live_.load(std::memory_order_relaxed) >= most_live_; }

  // Whether a block of this size gets a page of its own: all big ones, of small ones the first and then one in some.
  bool wants(size_t n) noexcept {
    if (n >= kAllFrom) return true;
    uint64_t turn = small_.fetch_add(1, std::memory_order_relaxed);
    return turn < kSmallAtFirst || turn % kSmallOneIn == 0;
  }
  // Zeroed. nullptr: too many live at once, a rare alignment, or refused; any other heap may have it.
  void* allocate(size_t n, size_t alignment, KnownStack born) noexcept;
  Release release(void* p, KnownStack ended) noexcept;

  // The live block that begins here; 0: there is none.
  size_t usable(const void* p) noexcept;
  // From now on zeros are read there. False: the address is none of a freed block, or refused.
  bool show_zeros(uintptr_t address) noexcept;
  // The last block whose bytes or whose guard page had this address.
  bool find(uintptr_t address, GuardedBlock* out) noexcept;

 private:
  static constexpr uint32_t kEntries = 1 << 19;  // blocks that are remembered, live ones included
  static constexpr uint8_t kSlack = 0xA5;        // what lies between a block's end and its page's

  enum State : uint32_t { unused, changing, live, ended };
  struct Entry {
    std::atomic<uint32_t> state;
    KnownStack born, ended;
    uintptr_t start, end;  // of its pages
    uintptr_t address;
    size_t bytes;
  };

  Entry* claim_entry() noexcept;
  void note_pages(const Entry& entry) noexcept;
  Entry* entry_at(uintptr_t address) noexcept;
  Entry* live_entry_before(uintptr_t address) noexcept;
  static bool has_slack_as_left(const Entry& entry) noexcept;

  AddressRing ring_;
  Entry* entries_ = nullptr;
  std::atomic<uint32_t>* entry_of_page_ = nullptr;  // 0: none, else one more than its index
  std::atomic<uint32_t> next_entry_{0};
  std::atomic<uint32_t> live_{0};
  std::atomic<uint64_t> small_{0};
  uint32_t most_live_ = 0;
};

#if defined(__SANITIZE_THREAD__)
inline constexpr size_t kGuardedRing = size_t{16} << 30;
#else
inline constexpr size_t kGuardedRing = size_t{64} << 30;
#endif

extern constinit GuardedHeap g_guarded_heap __attribute__((visibility("hidden")));
inline GuardedHeap& guarded_heap() noexcept { return g_guarded_heap; }

}  // namespace tenure::inproc
