// inproc/snapshot/snapshots.h: when a snapshot is taken, and the taking: the program stands still for one fork.
// World: inside. take() needs the GIL and a safe point; grew() may be called from any hook.
#pragma once
#include "inproc/snapshot/heap_walk.h"

namespace tenure::inproc {

// The way to the supervisor; raw system calls, for processes that share nothing with libc.
struct SnapshotLink {
  int (*announce)(int pid) noexcept;  // a connection, or -1
  bool (*deliver)(int connection, int pid, int memfd) noexcept;
};

// What the adapters found in the running program. The arrays live until take() returns.
struct KnownObjects {
  const KnownBuffer* buffers = nullptr;
  size_t buffer_count = 0;
  Object const* own = nullptr;  // the adapters' own containers: they hold nothing
  size_t own_count = 0;
};

class Snapshots {
 public:
  // With the GIL, once. The reason why there will be none, or nullptr.
  const char* start(Accounting& accounting, const SnapshotLink& link) noexcept;

  bool is_on() const noexcept { return is_on_; }
  // Whether a snapshot for this reason is due, as far as cost and the rest of the process allow.
  bool may_take(ledger::SnapshotReason reason) noexcept;
  bool take(ledger::SnapshotReason reason, const KnownObjects& known) noexcept;

  // Everything the collector tracks whose type has `type` among its bases. With the GIL.
  void find_instances(Object type, Column<Object>* out) const noexcept;

  // While a framework loads: what it takes for itself is the level from which growth counts.
  void begin_loading() noexcept { next_bytes_.store(~0ull, std::memory_order_relaxed); }
  void end_loading() noexcept;

  // The live bytes have passed the next milestone, and the cost so far allows a snapshot. Cost: two loads and a compare.
  bool has_grown() noexcept {
    return is_on_ && live_bytes() >= next_bytes_.load(std::memory_order_relaxed) && is_affordable();
  }

 private:
  uint64_t live_bytes() noexcept {
    return accounting_->ledger().header().live_bytes.load(std::memory_order_relaxed);
  }
  bool is_ours() noexcept;
  bool is_affordable() noexcept;
  bool is_one_running() noexcept;
  void start_process() noexcept;

  Accounting* accounting_ = nullptr;
  SnapshotLink link_{};
  HeapApi api_;
  bool is_on_ = false;
  int pid_ = 0;                              // of the process the rest is about
  std::atomic<uint64_t> next_bytes_{~0ull};  // relaxed: a late look does no harm
  uint64_t base_bytes_ = 0;  // live at the start, or when the last framework had loaded
  uint64_t started_ns_ = 0;
  uint64_t pause_ns_ = 0;  // all of them
  uint32_t taken_ = 0;
  std::atomic<uint64_t>* running_since_ =
      nullptr;  // shared with the copies: the last one writes 0 when it is done
};

Snapshots& snapshots() noexcept;

}  // namespace tenure::inproc
