// inproc/accounting/op_names.h: which op of a framework made a block, as a hook of that framework knows it.
// World: inside. Any thread. A thread's current op is its own; the names of blocks have the locks of their table.
// Cost: nothing until a hook knows of an op; then a copy of the name and one shard lock per tracked birth.
#pragma once
#include "inproc/accounting/side_table.h"
#include "inproc/stacks/stack_table.h"

namespace tenure::inproc {

inline constexpr uint32_t kLongestOpName = 255;

// What this thread computes right now. `name` copies the op's name and returns its length; 0: none.
struct CurrentOp {
  const void* of;
  uint32_t (*name)(const void* of, char* out) noexcept;  // `out` has kLongestOpName bytes
};
extern thread_local constinit CurrentOp g_current_op __attribute__((visibility("hidden")));

// Sets the current op of this thread until the end of the block.
class OpScope {
 public:
  explicit OpScope(const CurrentOp& op) noexcept : outer_(g_current_op) { g_current_op = op; }
  ~OpScope() { g_current_op = outer_; }
  OpScope(const OpScope&) = delete;
  OpScope& operator=(const OpScope&) = delete;

 private:
  CurrentOp outer_;
};

class OpNames {
 public:
  // The block was made by this thread's current op. Names are text of the ledger, as long as it has room for them.
  void note(const LiveBlock& block, StackTable& texts, const ledger::Writer& ledger) noexcept;
  void forget(uintptr_t address) noexcept {
    if (__builtin_expect(is_used_.load(std::memory_order_acquire), 0)) remove(address);
  }
  void restart() noexcept;

  // Calls f(address, name) for each block with a name: only in a copy of the process where nothing else runs.
  template <class F>
  void each(F f) const noexcept {
    if (!is_used_.load(std::memory_order_acquire)) return;
    table_.each([&](const LiveBlock& entry) { f(entry.address, StringId{entry.ordinal}); });
  }

 private:
  bool ensure_started() noexcept;
  void remove(uintptr_t address) noexcept;

  std::atomic<bool> is_used_{false};  // release after the table's start; acquire before its use
  std::atomic<uint8_t> start_lock_{0};
  SideTable table_;  // `ordinal` is the name, a string of the ledger
};

}  // namespace tenure::inproc
