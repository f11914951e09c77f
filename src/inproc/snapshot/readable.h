// inproc/snapshot/readable.h: whether memory at a guessed address can be read, one question to the system per page.
// World: inside, one thread, in the snapshot's child: the program's memory stands still, so an answer stays true. The
// tables of the walk itself do not, and are never said to be readable.
#pragma once
#include <errno.h>

#include "inproc/snapshot/address_map.h"

namespace tenure::inproc {

class ReadablePages {
 public:
  bool can_read(uint64_t address, uint64_t bytes) noexcept {
    if (address < kPage || address >= kHighest || bytes == 0 || bytes > kHighest - address)
      return false;
    for (uint64_t page = address / kPage; page <= (address + bytes - 1) / kPage; ++page) {
      if (!knows_as_good(page)) return false;
    }
    return true;
  }

 private:
  static constexpr uint64_t kPage = 4096, kHighest = 1ull << 47;
  enum : uint32_t { kGood = 1, kBad = 2 };

  bool knows_as_good(uint64_t page) noexcept {
    if (page == last_good_) return true;
    bool fresh;
    uint32_t* answer = known_.find_or_add(page * kPage, &fresh);
    if (!answer) return false;
    if (fresh) *answer = !g_own_maps.may_hold(page * kPage) && ask(page * kPage) ? kGood : kBad;
    if (*answer == kGood) last_good_ = page;
    return *answer == kGood;
  }

  // The system reads the new mask before it refuses the unknown order: EFAULT or EINVAL, nothing changes.
  static bool ask(uint64_t address) noexcept {
    constexpr long kNoSuchOrder = ~0l, kMaskBytes = 8;
    syscall(SYS_rt_sigprocmask, kNoSuchOrder, address, nullptr, kMaskBytes);
    return errno == EINVAL;
  }

  AddressMap known_;
  uint64_t last_good_ = 0;
};

}  // namespace tenure::inproc
