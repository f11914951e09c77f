#include "inproc/snapshot/spared_data.h"

#include <errno.h>
#include <sys/uio.h>

namespace tenure::inproc {
namespace {

constexpr uint64_t kSmallestSpared = 1 << 20;
constexpr uint64_t kWorthwhile = 256ull << 20;  // all of them together; below, the calls cost more
constexpr uintptr_t kPage = 4096;
constexpr int kWipeOnFork = 18, kKeepOnFork = 19;  // MADV_WIPEONFORK, MADV_KEEPONFORK
constexpr int kSpots = 5, kWordsPerSpot = 16;
constexpr uint64_t kLowestAddress = 1 << 22, kHighestAddress = 1ull << 47;
constexpr size_t kMostRanges = 16384;

// Looks at five places. Through the kernel: another thread may free the block meanwhile.
bool holds_only_data(uintptr_t start, uintptr_t end) noexcept {
  uint64_t words[kSpots][kWordsPerSpot] = {};
  iovec from[kSpots], to{words, sizeof words};
  for (int i = 0; i < kSpots; ++i) {
    uintptr_t at = start + (end - start - sizeof words[0]) / (kSpots - 1) * i;
    from[i] = {reinterpret_cast<void*>(at & ~uintptr_t{7}), sizeof words[0]};
  }
  long n = syscall(SYS_process_vm_readv, getpid(), &to, 1L, from, static_cast<long>(kSpots), 0L);
  return n == static_cast<long>(sizeof words) &&
         !may_hold_addresses(words[0], kSpots * kWordsPerSpot);
}

}  // namespace

bool may_hold_addresses(const uint64_t* words, int count) noexcept {
  int found = 0;
  for (int i = 0; i < count; ++i) {
    bool could_be = words[i] % 8 == 0 && words[i] >= kLowestAddress && words[i] < kHighestAddress;
    if (could_be && ++found == 2) return true;
  }
  return false;
}

SparedData::SparedData(const SnapshotFork& gate, const LiveBlocks& blocks) noexcept {
  if (gate.is_alone()) choose(blocks);
  if (ranges_.size() > 0) advise(kWipeOnFork);
}

SparedData::~SparedData() {
  if (ranges_.size() > 0) advise(kKeepOnFork);
  ranges_.release();
}

void SparedData::choose(const LiveBlocks& blocks) noexcept {
  Column<Range> large;
  if (!large.extend_to(kMostRanges)) return;  // before the locks: no system call is made under them
  large.clear();
  uint64_t total = 0;
  blocks.each_big_locked([&](const LiveBlock& block) {
    if (block.kind != static_cast<uint64_t>(ledger::BlockKind::heap) ||
        block.bytes < kSmallestSpared || large.size() == kMostRanges)
      return;
    large.push(
        {(block.address + kPage - 1) & ~(kPage - 1), (block.address + block.bytes) & ~(kPage - 1)});
    total += block.bytes;
  });
  for (const Range& range : large) {
    if (total >= kWorthwhile && holds_only_data(range.start, range.end)) ranges_.push(range);
  }
  large.release();
}

void SparedData::advise(int advice) const noexcept {
  int saved = errno;
  for (size_t i = 0; i < ranges_.size(); ++i)
    syscall(SYS_madvise, ranges_[i].start, ranges_[i].end - ranges_[i].start, advice);
  errno = saved;
}

}  // namespace tenure::inproc
