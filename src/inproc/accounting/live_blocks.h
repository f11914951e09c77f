// inproc/accounting/live_blocks.h: which blocks are alive, with site, size and ordinal: in the head of the block itself
// where the territory gave it a slot, in the side table otherwise.
// World: inside. Any thread. A head needs no lock: only who has the block comes here for it.
#pragma once
#include "inproc/accounting/side_table.h"
#include "inproc/territory/territory.h"

namespace tenure::inproc {

class LiveBlocks {
 public:
  bool start() noexcept { return table_.start(); }

  // Forgets every block: they are the parent's.
  void restart() noexcept {
    table_.restart();
    generation_ = (generation_ + 1) % BlockHead::kGenerations;
  }

  // False: no memory for the entry. `older` is what was still known at that address, address 0 if nothing.
  bool insert(const LiveBlock& block, LiveBlock* older) noexcept {
    if (!has_head(block.address)) return table_.insert(block, older);
    BlockHead& head = head_at(block.address);
    *older = is_noted(head) ? read(block.address, head) : LiveBlock{};
    head.note = {block.site.value, block.ordinal};
    head.requested = block.bytes;
    head.kind = block.kind;
    head.generation = generation_;
    head.is_noted = 1;
    return true;
  }

  bool remove(uintptr_t address, LiveBlock* out) noexcept {
    if (!has_head(address)) return table_.remove(address, out);
    BlockHead& head = head_at(address);
    if (!is_noted(head)) return false;
    *out = read(address, head);
    head.is_noted = 0;
    return true;
  }

  // For whoever owns the block, without a lock; false: it may be there.
  bool is_surely_absent(uintptr_t address) const noexcept {
    return has_head(address) ? !is_noted(head_at(address)) : table_.is_surely_absent(address);
  }

  // The address may be anything.
  bool find(uintptr_t address, LiveBlock* out) noexcept {
    if (!has_head(address)) return table_.find(address, out);
    const void* p = reinterpret_cast<const void*>(address);
    if (!territory().slots().has_block_at(p) || !is_noted(head_of(p))) return false;
    *out = read(address, head_of(p));
    return true;
  }

  // Calls f(block) for every live block, without locks: only in a copy of the process where nothing else runs.
  template <class F>
  void each(F f) const noexcept {
    table_.each(f);
    territory().slots().each([&](const void* p) {
      if (is_noted(head_of(p))) f(read(reinterpret_cast<uintptr_t>(p), head_of(p)));
    });
  }

  // The same in the running process, for blocks that are too big for a slot; f must neither block nor allocate.
  template <class F>
  void each_big_locked(F f) const noexcept {
    table_.each_locked(f);
  }

 private:
  static bool has_head(uintptr_t address) noexcept {
    return territory().has_head_for_note(reinterpret_cast<const void*>(address));
  }
  static BlockHead& head_at(uintptr_t address) noexcept {
    return head_of(reinterpret_cast<const void*>(address));
  }
  bool is_noted(const BlockHead& head) const noexcept {
    return head.is_noted && head.generation == generation_;
  }
  static LiveBlock read(uintptr_t address, const BlockHead& head) noexcept {
    return {address, head.requested, head.kind, SiteId{head.note.site}, head.note.ordinal};
  }

  SideTable table_;
  uint32_t generation_ = 0;  // changed in a forked child only, by its one thread
};

}  // namespace tenure::inproc
