// inproc/territory/warm_spans.h: spans without a block, kept with their pages for the next block of that size.
// World: inside. Any thread, one lock, held for a few list operations and never across a system call. Nobody waits for it
// long: whoever does not get it does without warm spans, so a signal handler or a forked child cannot hang here.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "inproc/territory/span.h"

namespace tenure::inproc {

class WarmSpans {
 public:
  static constexpr size_t kSmallest = 128 << 10;
  static constexpr size_t kLargest = size_t{2} << 30;      // a bigger one goes back at once
  static constexpr size_t kSlack = 32 << 20;               // see is_too_much()
  static constexpr uint64_t kPatienceNs = 10'000'000'000;  // who waited longer is not needed

  // A waiting span of at least `bytes`, hardly larger, or as large as `most`; nullptr: none.
  Span* take(size_t bytes, size_t most = 0) noexcept;
  // Where a fresh span of `bytes` would be too much: the front of a waiting one, whose rest waits on. nullptr: it would not
  // be, or none is large enough.
  Span* cut(size_t bytes) noexcept;
  // False: not kept, the caller has to unmap it.
  bool keep(Span* span, uint64_t now_ns) noexcept;
  // A span that is too much, or has waited too long: to be unmapped by the caller, who asks again. nullptr: no more.
  // `wanted`: bytes that are about to go live.
  Span* too_much(uint64_t now_ns, size_t wanted) noexcept;
  // Any, the oldest first. nullptr: no more.
  Span* oldest() noexcept;

  // A span of this size got a block, or lost it.
  void went_live(size_t bytes) noexcept;
  void ended(size_t bytes) noexcept {
    (bytes > kLargest ? giant_ : live_).fetch_sub(bytes, std::memory_order_relaxed);
  }

  uint64_t waiting_bytes() const noexcept { return waiting_.load(std::memory_order_relaxed); }
  uint64_t mapped_bytes() const noexcept {
    return waiting_bytes() + live_.load(std::memory_order_relaxed) +
           giant_.load(std::memory_order_relaxed);
  }

  // In a forked child. False: another thread of the parent was changing the lists; what waited is given up.
  bool is_whole_after_fork() noexcept;

  static constexpr uint32_t bin_of(size_t bytes) noexcept {
    uint32_t log = 63 - static_cast<uint32_t>(__builtin_clzl(bytes));
    uint32_t step = static_cast<uint32_t>(bytes >> (log - 3)) & 7;
    uint32_t bin = (log - kSmallestLog) * 8 + step;
    return bin < kBins ? bin : kBins - 1;
  }

 private:
  static constexpr uint32_t kSmallestLog = 17;
  static constexpr uint32_t kBins = (31 - kSmallestLog) * 8 + 8;
  static constexpr int kLooks = 4;      // at spans of a bin, of which some are too small
  static constexpr int kCutLooks = 16;  // at the oldest spans

  // Live and warm spans together stay below what was live at once at some time, and a little more.
  bool is_too_much(size_t wanted) const noexcept {
    uint64_t live = live_.load(std::memory_order_relaxed) + (wanted > kLargest ? 0 : wanted);
    uint64_t peak = peak_.load(std::memory_order_relaxed);
    return live + waiting_bytes() > (live > peak ? live : peak) + kSlack;
  }
  Span* find(size_t bytes, size_t most) noexcept;
  void add_to_bin(Span* span) noexcept;
  void remove_from_bin(Span* span) noexcept;
  void remove(Span* span) noexcept;

  std::atomic<uint8_t> lock_{0};
  Span* bins_[kBins] = {};  // the last freed one first; guarded by lock_, as the next two
  Span* oldest_ = nullptr;
  Span* newest_ = nullptr;
  std::atomic<uint64_t> waiting_{0};  // bytes; written under lock_
  std::atomic<uint64_t> live_{0};     // in spans that may wait; relaxed, as the next two: figures
  std::atomic<uint64_t> peak_{0};     // of live_
  std::atomic<uint64_t> giant_{0};    // live in spans that never wait
};

}  // namespace tenure::inproc
