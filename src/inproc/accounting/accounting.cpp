#include "inproc/accounting/accounting.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "inproc/accounting/thread_state.h"
#include "inproc/os/clock.h"
#include "inproc/os/elf_symbols.h"
#include "inproc/os/memory.h"

namespace tenure::inproc {
namespace {

using ledger::BlockKind;
using ledger::Header;
using ledger::Loss;
using ledger::TableId;

constexpr uint32_t kTimedEvery = 64;      // slow paths between two that are timed
constexpr uint64_t kGovernorShare = 100;  // 1/100 of the time may go into the slow path
constexpr uint64_t kGovernorFirstNs = 2000000000;
constexpr uint32_t kHighestThreshold = 64 << 10;

constinit Accounting g_accounting;

// Private mappings are address space until they are touched: booked under their sites, but not counted as live memory.
bool counts_as_live(BlockKind kind) {
  return kind == BlockKind::heap || kind == BlockKind::object_arena ||
         kind == BlockKind::shared_map;
}

uint32_t read_file(const char* path, char* out, uint32_t capacity) noexcept {
  long fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0) return 0;
  uint32_t n = 0;
  for (long got; n < capacity && (got = syscall(SYS_read, fd, out + n, capacity - n)) > 0;)
    n += static_cast<uint32_t>(got);
  syscall(SYS_close, fd);
  return n;
}

class ErrnoKeeper {
 public:
  ErrnoKeeper() noexcept : saved_(errno) {}
  ~ErrnoKeeper() { errno = saved_; }
  ErrnoKeeper(const ErrnoKeeper&) = delete;
  ErrnoKeeper& operator=(const ErrnoKeeper&) = delete;

 private:
  int saved_;
};

}  // namespace

Accounting& accounting() noexcept { return g_accounting; }

void Accounting::start(JoinSupervisor join, bool is_eager) noexcept {
  join_ = join;
  fork_mark_ = static_cast<uint32_t*>(map_wiped_on_fork());
  if (fork_mark_) *fork_mark_ = 1;
  python_arrived();
  state_.store(AccountingState::waiting, std::memory_order_release);
  if (is_eager) ensure_on();
}

void Accounting::python_arrived() noexcept {
  if (python_.state() == ReaderState::absent) python_.start(&find_symbol);
}

// ---- joining ----

bool Accounting::is_worth_joining(uint64_t bytes) noexcept {
  if (python_.state() != ReaderState::absent) return true;
  return unjoined_bytes_.fetch_add(bytes, std::memory_order_relaxed) + bytes >= kJoinAfterBytes;
}

bool Accounting::ensure_on() noexcept {
  AccountingState state = state_.load(std::memory_order_acquire);
  if (state != AccountingState::waiting) return state == AccountingState::on;
  SpinGuard guard(join_lock_);
  if (state_.load(std::memory_order_relaxed) == AccountingState::waiting) {
    state_.store(join() ? AccountingState::on : AccountingState::off, std::memory_order_release);
  }
  return is_on();
}

bool Accounting::join() noexcept {
  ErrnoKeeper keep;
  void* memory = join_(ledger::reserved_bytes());
  if (!memory || !ledger_.format(memory, &populate)) return false;
  if (!tables_ready_) {
    if (!stacks_.start(&python_, &ledger_) || !sites_.start(&ledger_) || !blocks_.start() ||
        !maps_.start()) {
      return false;
    }
    tables_ready_ = true;
  }
  describe_process();
  return true;
}

void Accounting::describe_process() noexcept {
  Header& h = ledger_.header();
  h.pid = getpid();
  h.parent_pid = getppid();
  h.started_ns = now_ns(CLOCK_REALTIME);
  h.started_mono_ns = now_ns();
  h.exact_threshold = kExactThreshold;
  h.sample_mean = kSampleMean;
  char text[4096];
  long length = syscall(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", text, sizeof text);
  if (length > 0) h.executable = stacks_.table().string(text, static_cast<uint32_t>(length));
  uint32_t bytes = read_file("/proc/self/cmdline", text, sizeof text);
  h.arguments = stacks_.table().string(text, bytes);
  for (int i = 0; i < facts_.size(); ++i) write_fact(facts_.key(i), facts_.value(i));
}

// ---- fork ----

void Accounting::after_fork_in_child() noexcept {
  if (state_.load(std::memory_order_relaxed) == AccountingState::unstarted) return;
  if (fork_mark_ && *fork_mark_ == 1) return;  // noticed before
  if (g_thread.is_busy)
    leave_ledger();
  else
    start_anew();
}

void Accounting::notice_fork(bool is_entered) noexcept {
  if (!fork_mark_ || __builtin_expect(*fork_mark_ == 1, 1)) return;
  if (is_entered)
    start_anew();
  else
    leave_ledger();
}

// A signal handler forked while this thread was in the slow path, which will go on here and finish: into pages that
// nobody reads, since the parent's are not ours to write. The next slow path starts anew.
void Accounting::leave_ledger() noexcept {
  if (!tables_ready_ || has_left_ledger_) return;
  ErrnoKeeper keep;
  syscall(SYS_mmap, ledger_.memory(), ledger::reserved_bytes(), PROT_READ | PROT_WRITE,
          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0L);
  has_left_ledger_ = true;
}

void Accounting::start_anew() noexcept {
  ErrnoKeeper keep;
  if (fork_mark_) *fork_mark_ = 1;
  if (tables_ready_) {
    syscall(SYS_munmap, ledger_.memory(), ledger::reserved_bytes());
    stacks_.restart();
    sites_.restart();
    blocks_.restart();
    maps_.restart();
  }
  join_lock_.store(0, std::memory_order_relaxed);
  timeline_lock_.store(0, std::memory_order_relaxed);
  timeline_stride_ = 1;
  unjoined_bytes_.store(0, std::memory_order_relaxed);
  has_left_ledger_ = false;
  state_.store(AccountingState::waiting, std::memory_order_release);
}

// ---- births and ends ----

bool Accounting::is_sampled(uint64_t bytes) noexcept {
  ThreadState& t = g_thread;
  if (t.is_busy) return false;
  if (!t.is_seeded) {
    t.is_seeded = true;
    t.random = Random(reinterpret_cast<uintptr_t>(&t) ^ now_ns()).next();
    Random r(t.random);
    t.bytes_until_sample = r.gap(kSampleMean) - static_cast<int64_t>(bytes);
    t.random = r.next();
    if (t.bytes_until_sample >= 0) return false;
  }
  Random r(t.random);
  t.bytes_until_sample = r.gap(kSampleMean);
  t.random = r.next();
  return true;
}

Weight Accounting::weight_of(uint64_t bytes, BlockKind kind) const noexcept {
  if (kind != BlockKind::small_heap) return {bytes, 1, 0};
  double p = sample_probability(bytes ? bytes : 1, kSampleMean);
  double w = static_cast<double>(bytes) / p;
  return {static_cast<uint64_t>(w + 0.5), static_cast<uint64_t>(1 / p + 0.5), w * w * (1 - p)};
}

void Accounting::born(const void* p, uint64_t bytes, BlockKind kind, uintptr_t caller,
                      bool is_resize) noexcept {
  BusyGuard busy;
  notice_fork(static_cast<bool>(busy));
  if (!is_on()) {
    if (state_.load(std::memory_order_relaxed) != AccountingState::waiting || !busy) return;
    if (!is_worth_joining(bytes) || !ensure_on()) return;
  }
  ThreadStack* thread = busy ? thread_stack() : nullptr;
  if (!thread) return ledger_.lose(Loss::untracked_birth);
  bool is_timed = ++g_thread.births % kTimedEvery == 0;
  uint64_t started = is_timed ? now_ns() : 0;

  StackId stack = stacks_.here(*thread, {caller, bytes, kind != BlockKind::small_heap});
  SiteId site = sites_.find(stack, kind, StringId{});
  if (ledger::Site& s = sites_.site(site); !s.asker && s.births == 0) {
    uintptr_t base;
    s.asker = stacks_.module_of(caller, &base);
  }
  Tick tick = ledger_.header().tick.fetch_add(1, std::memory_order_relaxed) + 1;
  uint32_t ordinal = sites_.birth(site, tick, weight_of(bytes, kind), is_resize);
  LiveBlock block{reinterpret_cast<uintptr_t>(p), bytes, static_cast<uint64_t>(kind), site,
                  ordinal};
  LiveBlock older{};
  if (!blocks_.insert(block, &older)) {
    sites_.end(site, ordinal, tick, weight_of(bytes, kind));
    return ledger_.lose(Loss::untracked_birth);
  }
  if (older.address) book_end(older);  // its end went by unseen
  if (counts_as_live(kind)) add_to_live(bytes, tick);
  if (tick % timeline_stride_ == 0) add_to_timeline(tick);
  if (is_timed) meter(started);
  if (Watch watch = watch_.load(std::memory_order_acquire)) watch();
}

bool Accounting::ended(const void* p, LiveBlock* was) noexcept {
  BusyGuard busy;
  notice_fork(static_cast<bool>(busy));
  if (!is_on()) return false;
  LiveBlock block;
  if (!busy) {  // a signal handler: the shard's lock may be held below us
    ledger_.lose(Loss::unmatched_end);
    return false;
  }
  if (!blocks_.remove(reinterpret_cast<uintptr_t>(p), &block)) return false;
  book_end(block);
  if (was) *was = block;
  return true;
}

void Accounting::book_end(const LiveBlock& block) noexcept {
  auto kind = static_cast<BlockKind>(block.kind);
  Header& h = ledger_.header();
  sites_.end(block.site, block.ordinal, h.tick.load(std::memory_order_relaxed),
             weight_of(block.bytes, kind));
  if (!counts_as_live(kind)) return;
  h.live_bytes.fetch_sub(block.bytes, std::memory_order_relaxed);
  h.live_blocks.fetch_sub(1, std::memory_order_relaxed);
}

bool Accounting::find(const void* p, LiveBlock* out) noexcept {
  BusyGuard busy;
  return busy && is_on() && blocks_.find(reinterpret_cast<uintptr_t>(p), out);
}

StackId Accounting::stack_of(const void* p) noexcept {
  LiveBlock block;
  return find(p, &block) ? sites_.site(block.site).stack : StackId{};
}

// All relaxed: each figure stands alone; with several threads the peak is right within the bytes in flight.
void Accounting::add_to_live(uint64_t bytes, Tick tick) noexcept {
  Header& h = ledger_.header();
  h.total_bytes.fetch_add(bytes, std::memory_order_relaxed);
  h.live_blocks.fetch_add(1, std::memory_order_relaxed);
  uint64_t live = h.live_bytes.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  uint64_t peak = h.peak_bytes.load(std::memory_order_relaxed);
  while (live > peak) {
    if (!h.peak_bytes.compare_exchange_weak(peak, live, std::memory_order_relaxed)) continue;
    h.peak_tick.store(tick, std::memory_order_relaxed);
    h.peak_epoch.fetch_add(1, std::memory_order_relaxed);
    break;
  }
}

void Accounting::add_to_timeline(Tick tick) noexcept {
  SpinGuard guard(timeline_lock_);
  uint32_t used = ledger_.used(TableId::timeline);
  if (used == ledger::kTimelineEntries) {
    uint32_t kept = 1;
    for (uint32_t i = 1; i < used; i += 2) {
      *ledger_.record<ledger::TimelineEntry>(TableId::timeline, kept++) =
          *ledger_.record<ledger::TimelineEntry>(TableId::timeline, i);
    }
    timeline_stride_ *= 2;
    measure_heap();
    ledger_.publish(TableId::timeline, kept);
    if (tick % timeline_stride_ != 0) return;
  }
  uint32_t index = ledger_.claim(TableId::timeline, 1);
  if (index == ledger::Writer::kNone) return;
  uint64_t live = ledger_.header().live_bytes.load(std::memory_order_relaxed);
  *ledger_.record<ledger::TimelineEntry>(TableId::timeline, index) = {tick, now_ns(), live};
  ledger_.publish(TableId::timeline, index + 1);
}

// Not on the hot path: mallinfo2 visits every free chunk in libc's bins.
void Accounting::measure_heap() noexcept {
  using Mallinfo2 = struct mallinfo2 (*)();
  static const auto measure = reinterpret_cast<Mallinfo2>(find_symbol_in("libc.so.6", "mallinfo2"));
  if (!measure) return;
  struct mallinfo2 info = measure();
  Header& h = ledger_.header();
  h.heap_taken.store(info.arena + info.hblkhd, std::memory_order_relaxed);
  h.heap_free.store(info.fordblks, std::memory_order_relaxed);
  h.heap_tick.store(h.tick.load(std::memory_order_relaxed), std::memory_order_relaxed);
}

void Accounting::refused(uint64_t bytes, uintptr_t caller) noexcept {
  BusyGuard busy;
  if (!busy || !is_on()) return;
  ErrnoKeeper keep;
  ThreadStack* thread = thread_stack();
  StackId stack = thread ? stacks_.here(*thread, {caller, bytes, false}) : StackId{};
  add_event(ledger::EventKind::failed_allocation, StringId{}, StringId{}, stack, bytes);
}

// ---- cost ----

uint64_t Accounting::reserved_bytes() noexcept {
  return own_bytes() + (is_on() ? ledger::reserved_bytes() : 0);
}

void Accounting::meter(uint64_t started_ns) noexcept {
  Header& h = ledger_.header();
  h.hook_ns.fetch_add((now_ns() - started_ns) * kTimedEvery, std::memory_order_relaxed);
  h.own_bytes.store(own_bytes(), std::memory_order_relaxed);
  if (g_thread.births % (kTimedEvery * 64) == 0) govern();
}

// Above the budget fewer blocks are counted one by one; weights keep the figures unbiased.
void Accounting::govern() noexcept {
  Header& h = ledger_.header();
  uint64_t elapsed = now_ns() - h.started_mono_ns;
  if (elapsed < kGovernorFirstNs ||
      h.hook_ns.load(std::memory_order_relaxed) * kGovernorShare < elapsed)
    return;
  uint32_t threshold = threshold_.load(std::memory_order_relaxed);
  if (threshold >= kHighestThreshold) return;
  threshold_.store(threshold * 2, std::memory_order_relaxed);
  h.exact_threshold = threshold * 2;
}

// ---- events ----

void Accounting::add_event(ledger::EventKind kind, StringId what, StringId text, StackId stack,
                           uint64_t value) noexcept {
  SpinGuard guard(timeline_lock_);
  uint32_t index = ledger_.claim(TableId::events, 1);
  if (index == ledger::Writer::kNone) return;
  Tick tick = ledger_.header().tick.load(std::memory_order_relaxed);
  *ledger_.record<ledger::Event>(TableId::events, index) = {
      static_cast<uint32_t>(kind), what, text, stack, value, tick, now_ns()};
  ledger_.publish(TableId::events, index + 1);
}

// Kept beside the ledger as well: a forked child writes them into its own.
void Accounting::add_fact(const char* key, const char* value) noexcept {
  BusyGuard busy;
  facts_.set(key, value);
  if (is_on()) write_fact(key, value);
}

void Accounting::write_fact(const char* key, const char* value) noexcept {
  StringId k = stacks_.table().string(key, static_cast<uint32_t>(strlen(key)));
  StringId v = stacks_.table().string(value, static_cast<uint32_t>(strlen(value)));
  SpinGuard guard(timeline_lock_);
  uint32_t index = ledger_.claim(TableId::facts, 1);
  if (index == ledger::Writer::kNone) return;
  *ledger_.record<ledger::Fact>(TableId::facts, index) = {k, v};
  ledger_.publish(TableId::facts, index + 1);
}

void Accounting::count_step(const char* name) noexcept {
  BusyGuard busy;
  if (!busy || !ensure_on()) return;
  ledger::Series key{};
  key.kind = static_cast<uint32_t>(ledger::SeriesKind::named);
  key.owner = stacks_.table().string(name, static_cast<uint32_t>(strlen(name))).value;
  stacks_.series().count(key, Move::backwards);
}

void Accounting::mark(ledger::ProcessState state) noexcept {
  if (!is_on()) return;
  if (state == ledger::ProcessState::exited) {
    measure_heap();
    ledger_.header().ended_mono_ns.store(now_ns(), std::memory_order_relaxed);
  }
  ledger_.header().state.store(static_cast<uint32_t>(state), std::memory_order_release);
}

}  // namespace tenure::inproc
