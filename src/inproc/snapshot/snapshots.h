// inproc/snapshot/snapshots.h: when a snapshot is taken, and the taking: the program stands still for one fork.
// World: inside. take() needs the GIL and a safe point; grew() may be called from any hook.
#pragma once
#include <optional>

#include "inproc/snapshot/heap_walk.h"

namespace tenure::inproc {

// The way to the supervisor; raw system calls, for processes that share nothing with libc.
struct SnapshotLink {
  int (*announce)(int pid) noexcept;  // a connection, or -1
  bool (*deliver)(int connection, int pid, int memfd) noexcept;
};

// What the adapters found in the running program. The arrays live until take() returns.
struct KnownObjects {
  const KnownLink* links = nullptr;
  size_t link_count = 0;
  const TrackedObject* tracked = nullptr;
  size_t tracked_count = 0;
  Object const* own = nullptr;  // the adapters' own containers: they hold nothing
  size_t own_count = 0;
};

// What the copies tell their parent. Zeroed memory is the start.
struct SharedWithCopies {
  std::atomic<uint64_t> running_since;  // of the last one, which writes 0 when it is done
  std::atomic<uint64_t> spent_ns;       // processor time of all so far
};

class Snapshots {
 public:
  // With the GIL, once. The reason why there will be none, or nullptr.
  const char* start(Accounting& accounting, const SnapshotLink& link) noexcept;

  bool is_on() const noexcept { return is_on_; }
  // There is a new ledger. Before anything is counted in it.
  void begin_anew() noexcept;
  // Whether a snapshot for this reason is due: something is worth it, and the budget allows it. Before each take().
  bool may_take(ledger::SnapshotReason reason) noexcept;
  bool take(ledger::SnapshotReason reason, const KnownObjects& known) noexcept;

  // Everything the collector tracks whose type has one of these among its bases. With the GIL.
  void find_instances(const Column<Object>& types, Column<Object>* out) const noexcept;

  // The system has refused an allocation: from inside that call, in any thread.
  void note_refusal(uint64_t bytes) noexcept {
    refused_bytes_.store(bytes, std::memory_order_relaxed);
  }
  // Whether what the program holds may be why it was refused. A request far beyond all that it holds is only a try.
  bool is_refusal_worth_a_look() noexcept;
  // A supervisor has asked for a snapshot that was not taken yet.
  bool is_wanted() noexcept { return is_on_ && wanted_count() != answered_; }

  // The process has forked: whether its child inherits so much that a snapshot is due. Once for each level.
  bool note_fork() noexcept;

  // What the next snapshot at a safe point is to be taken for; nothing if there is no reason.
  std::optional<ledger::SnapshotReason> due_reason() noexcept;

  uint64_t last_taken_ns() const noexcept { return last_taken_ns_; }

  // How to follow torch's tensors from now on. With the GIL.
  void set_torch(const TorchLayout& layout) noexcept { torch_ = layout; }

  // What the adapters took before and after take(), for the meter.
  void count_pause(uint64_t ns) noexcept { pause_ns_ += ns; }
  uint64_t pause_ns() const noexcept { return pause_ns_; }

  // The code of the main module, once, as soon as it runs: whoever gets it keeps a reference for good, since Python drops it
  // when the module has run, before the snapshot at exit. In the main thread, with the GIL.
  Object find_main_module() noexcept;

  // While a framework loads: what it takes for itself is no growth.
  void begin_loading() noexcept;
  void end_loading() noexcept;
  // Some of what has grown may be a library's own: the next look by itself comes a milestone later.
  void postpone() noexcept;

  // The live bytes have passed the next milestone, or a loop has grown little by little, and the cost so far allows a
  // snapshot. Cost: four loads and two compares.
  bool has_grown() noexcept {
    if (!is_on_) return false;
    uint64_t live = live_bytes();
    if (live < base_bytes()) [[unlikely]]
      lower_base(live);
    bool is_past = live >= next_bytes_.load(std::memory_order_relaxed);
    return (is_past || accounting_->stacks().series().has_grown()) && is_affordable();
  }

 private:
  // Sampled ones too: where the governor has raised the threshold they may be what grows.
  uint64_t live_bytes() noexcept {
    const ledger::Header& header = accounting_->ledger().header();
    return header.live_bytes.load(std::memory_order_relaxed) +
           header.small_bytes.load(std::memory_order_relaxed);
  }
  uint64_t level() noexcept { return accounting_->is_on() ? live_bytes() : 0; }
  uint32_t wanted_count() noexcept {
    return accounting_->ledger().header().snapshots_wanted.load(std::memory_order_relaxed);
  }
  uint64_t base_bytes() const noexcept { return base_bytes_.load(std::memory_order_relaxed); }
  bool is_loading() const noexcept { return next_bytes_.load(std::memory_order_relaxed) == ~0ull; }
  void set_base(uint64_t bytes) noexcept;
  void lower_base(uint64_t live) noexcept;
  bool is_ours() noexcept;
  void tell_fork_refused() noexcept;
  bool is_affordable() noexcept;
  bool is_one_running() noexcept;
  bool is_last_affordable() noexcept;
  bool is_worth_a_look(ledger::SnapshotReason reason) noexcept;
  uint64_t spent_ns() noexcept;
  uint64_t expected_ns() noexcept;
  void set_milestone(uint64_t live) noexcept;
  void start_process() noexcept;

  Accounting* accounting_ = nullptr;
  SnapshotLink link_{};
  HeapApi api_;
  TorchLayout torch_{};
  bool is_on_ = false;
  int pid_ = 0;                              // of the process the rest is about
  std::atomic<uint64_t> next_bytes_{~0ull};  // relaxed: a late look does no harm
  std::atomic<bool> has_forked_{false};  // since the last snapshot, with much to inherit; relaxed
  std::atomic<uint64_t> inherited_bytes_{
      0};                                // live at the last fork that was worth a look; relaxed
  std::atomic<uint64_t> base_bytes_{0};  // the level from which growth counts; relaxed
  uint64_t before_loading_ = 0;          // live when the framework began to load
  uint64_t pause_ns_ = 0;                // all of them
  uint32_t taken_ = 0;
  uint64_t seen_bytes_ = 0;                 // above the base, by the last one
  std::atomic<uint64_t> look_again_ns_{0};  // relaxed: when it could not be paid, not before
  uint32_t answered_ = 0;                   // of the snapshots a supervisor wanted
  uint64_t last_taken_ns_ = 0;
  std::atomic<uint64_t> refused_bytes_{0};  // 0: nothing was refused since the last look; relaxed
  bool has_seen_refusal_ = false;           // in a snapshot
  bool is_fork_refused_ = false;            // and told
  Object main_module_ = nullptr;            // its code; guarded by the GIL
  SharedWithCopies* shared_ = nullptr;      // a page; nullptr: it was refused
};

Snapshots& snapshots() noexcept;

}  // namespace tenure::inproc
