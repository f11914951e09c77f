// inproc/accounting/accounting.h: births and ends of blocks, from the hooks into the ledger. The observing mode.
// World: inside. Any thread, also inside signal handlers (then a birth may be lost, and is counted as lost).
// Cost: the slow path of a tracked birth is a stack capture, one site lock and one shard lock.
#pragma once
#include "inproc/accounting/fact_store.h"
#include "inproc/accounting/gate.h"
#include "inproc/accounting/graph_nodes.h"
#include "inproc/accounting/history.h"
#include "inproc/accounting/live_blocks.h"
#include "inproc/accounting/map_table.h"
#include "inproc/accounting/op_names.h"
#include "inproc/accounting/own_cost.h"
#include "inproc/accounting/pool_table.h"
#include "inproc/accounting/sampling.h"
#include "inproc/accounting/site_table.h"
#include "inproc/accounting/timeline.h"
#include "inproc/os/clock.h"
#include "inproc/stacks/thread_stack.h"

namespace tenure::inproc {

inline constexpr uint32_t kJoinAfterBytes = 256 << 10;

// Gives the memory of a new ledger, known to the supervisor; nullptr when it cannot be reached.
using JoinSupervisor = void* (*)(uint64_t bytes) noexcept;

// Called after births until it is taken away: somebody waits for something to come into the process.
using Watch = void (*)() noexcept;
using RefusalWatch = void (*)(uint64_t bytes) noexcept;

// What was born until now, and bytes that are live.
struct Moment {
  Tick tick = 0;
  uint64_t live_bytes = 0;
};

enum class AccountingState : uint8_t { unstarted, waiting /*not worth a ledger yet*/, on, off };

struct ThreadMemory;

class Accounting {
 public:
  // `is_eager`: take a ledger now; else when the process turns out to be worth one. Before any other call.
  void start(JoinSupervisor join, bool is_eager) noexcept;

  // Forgets everything, as if it had never been started; start() may follow. Only while no other thread is in here, or
  // comes in: `tenure detach` sees to it that they all stand still.
  void stop() noexcept;
  bool is_started() noexcept {
    return state_.load(std::memory_order_acquire) != AccountingState::unstarted;
  }

  void born(const void* p, uint64_t bytes, ledger::BlockKind kind, uintptr_t caller,
            bool is_resize = false) noexcept;
  bool ended(const void* p, LiveBlock* was = nullptr) noexcept;

  // An allocator that cuts regions into blocks itself: the region is no memory in use, the blocks in it are. A block that
  // lies in no region we know is not counted (it is another device's).
  void region_born(const void* p, uint64_t bytes, uintptr_t caller) noexcept;
  void born_in_pool(const void* p, uint64_t bytes, uintptr_t caller) noexcept;
  void ended_in_pool(const void* p) noexcept { end_block(p, nullptr); }

  // A block of `bytes` below the threshold is about to be made: is it the one to be sampled?
  bool is_sampled(uint64_t bytes) noexcept;

  void mapped(uintptr_t start, uint64_t bytes, ledger::BlockKind kind, uintptr_t caller) noexcept;
  // A mapping was made executable: code that a library generates, of which few pages are ever touched.
  void became_code(uintptr_t start, uint64_t bytes, uintptr_t caller) noexcept;
  void unmapped(uintptr_t start, uint64_t bytes, uintptr_t caller) noexcept;
  void remapped(uintptr_t old, uint64_t old_bytes, uintptr_t now, uint64_t bytes,
                uintptr_t caller) noexcept;
  void segment_opened(
      int fd, const char* name) noexcept;  // O_CREAT: its size comes with the first ftruncate
  void segment_sized(int fd, uint64_t bytes, uintptr_t caller) noexcept;
  void segment_unlinked(const char* name) noexcept;

  // An allocation was refused by the system.
  void refused(uint64_t bytes, uintptr_t caller) noexcept;

  // The most that is live from here on, until peak_watched(): above the level of this moment.
  void watch_peak() noexcept;
  uint64_t peak_watched() noexcept;

  // How far the program has come, and what is live: a mark is made of two of these.
  Moment moment() noexcept;

  // The live block at this address. False: it is not tracked, or this is a signal handler.
  bool find(const void* p, LiveBlock* out) noexcept;

  // Where the live block at this address was made; none when it is not tracked.
  StackId stack_of(const void* p) noexcept;

  // What the live block at this address is to a model; so are all of its site.
  void set_role(const void* p, ledger::Role role) noexcept;

  // When the live block at this address was made, if no Python frame was there; 0 otherwise.
  Tick born_without_python(const void* p) noexcept;

  // Such a block was made for this stack: its birth is booked there. The caller holds what owns the block.
  bool lend_stack(const void* p, StackId stack) noexcept;

  // Counts the rounds of the loops this thread is in, without a birth.
  void look_around() noexcept;

  // Where this thread is; none if that cannot be told, as in a signal handler that interrupted our own work.
  KnownStack stack_here() noexcept;

  // A node of a gradient graph was made in this thread.
  void node_made(uint64_t number) noexcept;
  GraphNodes& nodes() noexcept { return nodes_; }

  // `is_frameworks`: a framework makes such a step, nobody asked for it to be counted.
  void count_step(const char* name, bool is_frameworks = false) noexcept;
  // What this thread makes between the two is told as accepted. They nest.
  static void ignore_begins() noexcept;
  static void ignore_ends() noexcept;
  void add_event(ledger::EventKind kind, StringId what, StringId text, StackId stack,
                 uint64_t value) noexcept;
  void add_fact(const char* key, const char* value) noexcept;
  void add_note(const char* key, const char* value) noexcept;  // not repeated by forked children

  // In a forked child, before it does anything else: nothing of the parent's ledger is ours.
  void after_fork_in_child() noexcept;
  // Python came into the process (at start, or by dlopen): read frames from now on.
  void python_arrived() noexcept;

  // Called when the system has refused an allocation, in the thread that asked, from inside its call.
  void set_refusal_watch(RefusalWatch watch) noexcept {
    refusal_watch_.store(watch, std::memory_order_release);
  }
  // Called in the parent when it has forked, in the thread that did.
  void set_fork_watch(Watch watch) noexcept { fork_watch_.store(watch, std::memory_order_release); }
  void after_fork_in_parent() noexcept {
    if (Watch watch = fork_watch_.load(std::memory_order_acquire)) watch();
  }
  void set_watch(Watch watch) noexcept { watch_.store(watch, std::memory_order_release); }
  void drop_watch(Watch watch) noexcept {  // unless another one has taken its place
    watch_.compare_exchange_strong(watch, nullptr, std::memory_order_acq_rel);
  }

  // In a copy of the process made for a snapshot: counts nothing, joins nobody, leaves the parent's ledger alone.
  void stand_aside() noexcept {
    if (fork_mark_) *fork_mark_ = 1;
    state_.store(AccountingState::off, std::memory_order_release);
  }
  const LiveBlocks& blocks() const noexcept { return blocks_; }
  const OpNames& op_names() const noexcept { return op_names_; }

  bool is_on() noexcept { return state_.load(std::memory_order_acquire) == AccountingState::on; }
  bool ensure_on() noexcept;
  void mark(ledger::ProcessState state) noexcept;
  // The interpreter takes everything apart, adapters too.
  bool is_exiting() noexcept {
    auto state =
        static_cast<ledger::ProcessState>(ledger_.header().state.load(std::memory_order_acquire));
    return is_on() && state == ledger::ProcessState::exiting;
  }
  uint64_t
  reserved_bytes() noexcept;  // address space of ours in this process; most of it is never touched

  ledger::Writer& ledger() noexcept { return ledger_; }
  OwnCost& cost() noexcept { return cost_; }
  StackTracker& stacks() noexcept { return stacks_; }
  PythonReader& python() noexcept { return python_; }
  History& history() noexcept { return history_; }

 private:
  struct Birth {
    const void* p;
    uint64_t bytes;
    ledger::BlockKind kind;
    uintptr_t caller;
    bool is_resize;
  };

  bool join() noexcept;
  void note_device() noexcept;
  bool is_worth_joining(uint64_t bytes) noexcept;
  void notice_fork(bool is_entered) noexcept;
  void leave_ledger() noexcept;
  void start_anew() noexcept;
  void book_end(const LiveBlock& block) noexcept;
  void note_release(SiteId site, SiteTable::Fall fall, Tick tick) noexcept;
  void end_region(const void* p) noexcept;
  bool end_block(const void* p, LiveBlock* was) noexcept;
  bool find_without_python(const void* p, LiveBlock* out) noexcept;
  template <class Change>
  bool with_maps(ledger::Loss otherwise, Change change) noexcept;
  ledger::BlockKind end_maps(uintptr_t start, uintptr_t end, uintptr_t caller) noexcept;
  void add_map(uintptr_t start, uint64_t bytes, ledger::BlockKind kind, uintptr_t caller,
               bool is_resize) noexcept;
  void add_to_live(uint64_t bytes, Tick tick) noexcept;
  void add_to_timeline(Tick tick, uint64_t last, uint64_t cycles) noexcept;
  void measure_heap() noexcept;
  void look_for_the_last_time() noexcept;
  void measure_file_pages() noexcept;
  void record_birth(ThreadMemory& thread, const Birth& birth) noexcept;
  SiteId site_in_node(ThreadMemory& thread, SiteKey key) noexcept;
  void describe_site(ThreadMemory& thread, SiteId id, uintptr_t caller) noexcept;
  void describe_process() noexcept;
  void write_fact(const char* key, const char* value) noexcept;

  std::atomic<AccountingState> state_{AccountingState::unstarted};
  std::atomic<uint8_t> join_lock_{0};
  JoinSupervisor join_ = nullptr;
  std::atomic<uint64_t> unjoined_bytes_{0};
  uint32_t* fork_mark_ = nullptr;        // 1 here, 0 in a child made behind our back
  bool has_left_ledger_ = false;         // of a forked child's only thread
  std::atomic<uint8_t> events_lock_{0};  // of events and facts
  std::atomic<bool> is_peak_watched_{
      false};  // this and the next: relaxed, right within the bytes in flight
  std::atomic<uint64_t> watched_peak_{0};
  std::atomic<uint64_t> watched_from_{0};
  Timeline timeline_;
  bool tables_ready_ = false;  // guarded by join_lock_

  ledger::Writer ledger_;
  PythonReader python_;
  StackTracker stacks_;
  SiteTable sites_;
  LiveBlocks blocks_;
  MapTable maps_;
  OpNames op_names_;
  PoolTable pools_;
  FactStore facts_;
  History history_;
  GraphNodes nodes_;
  OwnCost cost_;
  CoarseCpuClock cpu_clock_;
  std::atomic<Watch> watch_{nullptr};
  std::atomic<Watch> fork_watch_{nullptr};
  std::atomic<RefusalWatch> refusal_watch_{nullptr};
  static constexpr int kSegmentDescriptors = 1024;
  std::atomic<uintptr_t> segment_names_[kSegmentDescriptors] =
      {};  // key of the segment a descriptor was opened for
};

// The one accounting of this process: constant-initialised, so usable before any constructor ran.
extern constinit Accounting g_accounting __attribute__((visibility("hidden")));
inline Accounting& accounting() noexcept { return g_accounting; }

}  // namespace tenure::inproc
