// inproc/territory/address_ring.h: the range of addresses that is the territory, walked round like a ring.
// World: inside. Any thread, without a lock. Nothing is reserved: each span is mapped when it is needed, so the kernel
// refuses memory, by RLIMIT_AS or by overcommit, exactly where it would refuse it to libc.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tenure::inproc {

class AddressRing {
 public:
  // False: this machine has no such range of addresses.
  bool start(uintptr_t base, size_t bytes) noexcept;
  bool is_started() const noexcept { return bytes_ != 0; }
  uintptr_t base() const noexcept { return base_; }

  bool holds(const void* p) const noexcept {
    return reinterpret_cast<uintptr_t>(p) - base_ < bytes_;
  }

  // Zero pages, with `room` more addresses behind them left free. nullptr: refused.
  void* map(size_t bytes, size_t alignment, size_t room = 0) noexcept;
  // More zero pages right behind `end`. False: something is there, or refused.
  bool extend(uintptr_t end, size_t more) noexcept;
  // The pages of [p, p + bytes) move to a place with room for `now` bytes, and room to grow. nullptr: they stay.
  void* move(void* p, size_t bytes, size_t now) noexcept;
  void unmap(void* p, size_t bytes) noexcept;

 private:
  uintptr_t claim(size_t bytes, size_t alignment) noexcept;

  uintptr_t base_ = 0;
  size_t bytes_ = 0;  // 0: nothing is ours
  std::atomic<uintptr_t> next_{
      0};  // relaxed: the kernel says no to the second of two that want the same place
};

// The addresses of big and of middle blocks. ThreadSanitizer has a place for few of them only.
#if defined(__SANITIZE_THREAD__)
inline constexpr size_t kSpanRing = size_t{128} << 30, kSlotRing = size_t{64} << 30;
#else
inline constexpr size_t kSpanRing = size_t{8} << 40, kSlotRing = size_t{1} << 40;
#endif

// Where the territory of this process begins: another place in each, so that the heap stays hard to guess.
uintptr_t random_base() noexcept;

// Huge pages for the whole 2 MiB pieces in [p, p + bytes), and for nothing else. False: there are none, or refused.
bool advise_huge_pages(void* p, size_t bytes) noexcept;

}  // namespace tenure::inproc
