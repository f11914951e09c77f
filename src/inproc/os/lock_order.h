// inproc/os/lock_order.h: in which order locks are taken: a thread that holds one takes only those further down.
// World: inside. Checked where assertions are on, and free of cost elsewhere. Locks that are only tried (TryGuard) need no
// order: nobody waits for them.
#pragma once
#include <cassert>
#include <cstdint>

namespace tenure::inproc {

enum class LockRank : uint8_t {
  join,         // taking a ledger: Accounting; the first name of an op: OpNames
  history,      // scopes and lifetime errors that adapters tell
  live_blocks,  // one shard of the side table
  mappings,     // MapTable, PoolTable
  site,         // one site of the ledger
  series,       // one series of the ledger
  timeline,     // the run so far: Accounting
  loops,        // what was read of code objects
  codes,        // code objects that were met
  interned,     // stacks and words of the ledger
  thread_ends,  // who wants to know of a thread's end
  own_memory,   // our own pages, needed under all the others
};

#ifdef NDEBUG
class LockOrder {
 public:
  explicit constexpr LockOrder(LockRank) noexcept {}
};
#else
inline thread_local uint32_t g_held_ranks __attribute__((tls_model("initial-exec"))) = 0;

// Beside a lock, made before it is waited for.
class LockOrder {
 public:
  explicit LockOrder(LockRank rank) noexcept : bit_(1u << static_cast<uint8_t>(rank)) {
    assert(g_held_ranks < bit_ && "a lock is taken that belongs before one that is held");
    g_held_ranks |= bit_;
  }
  ~LockOrder() { g_held_ranks &= ~bit_; }
  LockOrder(const LockOrder&) = delete;
  LockOrder& operator=(const LockOrder&) = delete;

 private:
  uint32_t bit_;
};
#endif

}  // namespace tenure::inproc
