// inproc/accounting/graph_nodes.h: nodes of torch's gradient graphs: where each was made, and which one runs in a thread.
// World: inside. Any thread. A node is known by the number it has in the thread that made it.
// Cost: a node made is one store, and the stack where its thread makes blocks of tracked size; a node that runs two loads.
#pragma once
#include <atomic>
#include <cstdint>

#include "base/ids.h"
#include "base/type_name.h"
#include "inproc/stacks/thread_stack.h"

namespace tenure::inproc {

// Where a node keeps what: found by asking nodes that tell the same in Python. All zero: not known, nothing is read.
struct NodeLayout {
  uint32_t number;
  uint32_t thread;
};

// Parts of torch as they are loaded.
struct TorchCode {
  CodeRange operations;         // libtorch_cpu
  CodeRange storages;           // libc10: what calls the heap from there makes storages
  uint64_t (*thread_number)();  // as torch numbers threads
};

// The node whose backward runs. `type` is its table of virtual functions; nullptr: none runs.
struct RunningNode {
  const void* type;
  uint64_t number;
  uint64_t thread;
};

// What a thread remembers of nodes.
struct ThreadNodes {
  RunningNode running;
  uint64_t thread;         // as torch numbers it; 0: not asked yet
  uint32_t without_birth;  // nodes made since the last block of tracked size
};

class GraphNodes {
 public:
  // A thread that has made so many nodes and no block that is counted computes with small tensors: what its backward makes
  // is not counted either, and no line is needed.
  static constexpr uint32_t kMostWithoutBirth = 64;

  // False: no memory for the table.
  bool start(const TorchCode& code, NodeLayout layout) noexcept;
  // In a forked child: every stack belonged to the parent's ledger.
  void restart() noexcept;

  bool is_on() const noexcept { return layout_.load(std::memory_order_acquire).number != 0; }

  // Whether the line of the next node of this thread is wanted.
  static bool is_wanted(ThreadNodes& thread) noexcept {
    return ++thread.without_birth <= kMostWithoutBirth;
  }

  void made(ThreadNodes& thread, uint64_t number, StackId where) noexcept;
  CodeRange library() const noexcept { return code_.operations; }
  // Whether this return address is that of torch's function that allocates storages.
  bool makes_tensors(uintptr_t caller) const noexcept {
    return is_on() && caller - code_.storages.start < code_.storages.bytes;
  }
  RunningNode entered(const void* node) const noexcept;

  // Where the node was made; none: by now others took its place, or it was not noted.
  StackId where(const RunningNode& node) const noexcept;

 private:
  // One word each, so that a reader never sees half of two nodes: thread and upper part of the number, then the stack.
  static constexpr uint32_t kEntries = 1 << 16;
  static constexpr uint32_t kStackBits = 20;
  static uint32_t slot_of(uint64_t thread, uint64_t number) noexcept;
  static uint64_t mark_of(uint64_t thread, uint64_t number) noexcept;

  std::atomic<NodeLayout> layout_{};  // release, once the rest is set
  TorchCode code_{};
  std::atomic<uint64_t>* entries_ = nullptr;  // relaxed: each word stands alone
};

// "MulBackward0" of a node's type, as the compiler wrote its name into the library.
NamePart name_of_node_type(const void* type) noexcept;

}  // namespace tenure::inproc
