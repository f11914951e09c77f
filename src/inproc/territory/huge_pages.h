// inproc/territory/huge_pages.h: whether a fresh span should have huge pages. Most often they are cheaper than small ones,
// but not always: a guest may have given its large free pieces back to its host and has to fetch each one again, and
// fragmented memory has to be moved together first. So the first one of each span is timed
// (docs/decisions/0018-huge-pages-are-timed.md).
// World: inside. Any thread; all fields are relaxed, a lost update costs at most one more try.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tenure::inproc {

class HugePages {
 public:
  static constexpr size_t kFrom = 4 << 20;        // as NumPy does for its arrays
  static constexpr uint64_t kDearNs = 1'000'000;  // what 2 MiB of small pages cost
  static constexpr uint64_t kFirstPauseNs = 1'000'000'000, kLongestPauseNs = 64 * kFirstPauseNs;
  static constexpr size_t kFirstTrust = 64 << 20;

  bool are_wanted(size_t bytes, uint64_t now_ns) const noexcept {
    return bytes >= kFrom && bytes <= trusted_.load(std::memory_order_relaxed) &&
           now_ns >= again_ns_.load(std::memory_order_relaxed);
  }

  // The first huge page of a span of so many bytes took so long. True: the span may keep them.
  bool took(size_t bytes, uint64_t ns, uint64_t now_ns) noexcept {
    uint64_t pause = pause_ns_.load(std::memory_order_relaxed);
    if (ns < kDearNs) {
      if (bytes * 2 > trusted_.load(std::memory_order_relaxed))
        trusted_.store(bytes * 2, std::memory_order_relaxed);
      pause_ns_.store(kFirstPauseNs, std::memory_order_relaxed);
      return true;
    }
    trusted_.store(kFirstTrust, std::memory_order_relaxed);
    again_ns_.store(now_ns + pause, std::memory_order_relaxed);
    pause_ns_.store(pause < kLongestPauseNs ? pause * 2 : pause, std::memory_order_relaxed);
    return false;
  }

 private:
  std::atomic<size_t> trusted_{
      kFirstTrust};                    // no larger span has them: one page says little of many
  std::atomic<uint64_t> again_ns_{0};  // no try before
  std::atomic<uint64_t> pause_ns_{kFirstPauseNs};
};

}  // namespace tenure::inproc
