// inproc/snapshot/block_index.h: the live blocks of the ledger, sorted, for joins by address.
// World: inside, one thread, in the snapshot's child: the side table it reads is the child's own copy and stands still.
#pragma once
#include "inproc/accounting/accounting.h"
#include "inproc/accounting/sampling.h"
#include "inproc/snapshot/address_map.h"

namespace tenure::inproc {

class BlockIndex {
 public:
  static constexpr uint32_t kNone = AddressMap::kNone;

  // Copies what counts as memory somebody may hold: heap blocks and mappings, no arenas of small objects.
  void fill(Accounting& accounting) noexcept;

  void add(const LiveBlock& block) noexcept { blocks_.push(block); }
  // Stands for tracked object number `i` of a cause; its address. No real block lies so high. Before fill().
  uint64_t add_token(size_t i, uint32_t cause) noexcept;
  void seal() noexcept;  // after the last add

  // Cost: two compares and one load of a filter for most words that are no block.
  uint32_t starting_at(uint64_t address) const noexcept {
    if (address < low_ || address >= high_ || (address & 15) != 0) return kNone;
    uint64_t bit = filter_bit(address);
    if (!(filter_[bit >> 6] >> (bit & 63) & 1)) return kNone;
    return starts_.find(address);
  }

  uint32_t covering(uint64_t address) const noexcept;

  // A sampled block stands for all that were not.
  uint64_t weight(uint32_t i) const noexcept {
    return weight_of(blocks_[i].bytes, static_cast<ledger::BlockKind>(blocks_[i].kind)).bytes;
  }

  const LiveBlock& operator[](uint32_t i) const noexcept { return blocks_[i]; }
  uint32_t size() const noexcept { return static_cast<uint32_t>(blocks_.size()); }

 private:
  static constexpr uint64_t kFilterBits = 1 << 20;
  static constexpr uint64_t kTokens = 1ull << 63;

  static uint64_t filter_bit(uint64_t address) noexcept {
    return (address >> 4) * 0x9E3779B97F4A7C15ull >> 44;
  }

  Column<LiveBlock> blocks_;
  Column<uint64_t> filter_;
  AddressMap starts_;
  uint64_t low_ = ~0ull;
  uint64_t high_ = 0;
};

}  // namespace tenure::inproc
