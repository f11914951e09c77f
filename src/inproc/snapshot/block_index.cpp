#include "inproc/snapshot/block_index.h"

#include <algorithm>

namespace tenure::inproc {
namespace {

using ledger::BlockKind;

bool can_be_held(const LiveBlock& block) {
  auto kind = static_cast<BlockKind>(block.kind);
  return block.bytes > 0 && block.address >> 63 == 0 &&
         (kind == BlockKind::heap || kind == BlockKind::small_heap ||
          kind == BlockKind::anonymous_map || kind == BlockKind::shared_map);
}

}  // namespace

void BlockIndex::fill(Accounting& accounting) noexcept {
  accounting.blocks().each([this](const LiveBlock& block) {
    if (can_be_held(block)) add(block);
  });
  seal();
}

uint64_t BlockIndex::add_token(size_t i, uint32_t cause) noexcept {
  uint64_t address = kTokens | i << 4;
  add({address, 1, static_cast<uint64_t>(BlockKind::heap), SiteId{}, cause});
  return address;
}

void BlockIndex::seal() noexcept {
  std::sort(blocks_.begin(), blocks_.end(),
            [](const LiveBlock& a, const LiveBlock& b) { return a.address < b.address; });
  if (!filter_.extend_to(kFilterBits / 64)) return;
  for (uint32_t i = 0; i < blocks_.size(); ++i) {
    const LiveBlock& block = blocks_[i];
    bool fresh;
    if (uint32_t* number = starts_.find_or_add(block.address, &fresh)) *number = i;
    uint64_t bit = filter_bit(block.address);
    filter_[bit >> 6] |= 1ull << (bit & 63);
    low_ = std::min<uint64_t>(low_, block.address);
    high_ = std::max<uint64_t>(high_, block.address + block.bytes);
  }
}

uint32_t BlockIndex::covering(uint64_t address) const noexcept {
  if (address < low_ || address >= high_) return kNone;
  const LiveBlock* first = blocks_.data();
  const LiveBlock* above =
      std::upper_bound(first, first + blocks_.size(), address,
                       [](uint64_t a, const LiveBlock& b) { return a < b.address; });
  if (above == first) return kNone;
  const LiveBlock& block = above[-1];
  return address < block.address + block.bytes ? static_cast<uint32_t>(above - 1 - first) : kNone;
}

}  // namespace tenure::inproc
