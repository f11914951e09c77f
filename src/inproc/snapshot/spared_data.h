// inproc/snapshot/spared_data.h: keeps the contents of large data blocks out of the snapshot's copy. The walk does not need
// them, copying their page tables takes most of the pause, and a program that goes on writing to them would pay for
// every page.
// World: inside, with the GIL, around one fork. The program's own fork must not come in between.
#pragma once
#include "inproc/accounting/accounting.h"
#include "inproc/os/fork_gate.h"
#include "inproc/snapshot/column.h"

namespace tenure::inproc {

class SparedData {
 public:
  // In the copy the chosen pages read as zeros: a container that was taken for data looks empty there, nothing crashes.
  // Nothing is chosen while the program itself forks.
  SparedData(const SnapshotFork& gate, const LiveBlocks& blocks) noexcept;
  ~SparedData();
  SparedData(const SparedData&) = delete;
  SparedData& operator=(const SparedData&) = delete;

 private:
  struct Range {
    uintptr_t start;
    uintptr_t end;
  };
  void choose(const LiveBlocks& blocks) noexcept;
  void advise(int advice) const noexcept;

  Column<Range> ranges_;
};

// Whether a piece of memory may hold references to objects: two words that could be addresses.
bool may_hold_addresses(const uint64_t* words, int count) noexcept;

}  // namespace tenure::inproc
