#include "inproc/accounting/accounting.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "inproc/accounting/job_rank.h"
#include "inproc/accounting/thread_state.h"
#include "inproc/os/clock.h"
#include "inproc/os/elf_symbols.h"
#include "inproc/os/files.h"
#include "inproc/os/memory.h"
#include "inproc/os/sandbox.h"
#include "inproc/territory/territory.h"

namespace tenure::inproc {
namespace {

using ledger::Header;
using ledger::TableId;

// The other half of the events is for what the program does.
constexpr uint32_t kMostPauses = ledger::kCapacity[static_cast<uint32_t>(TableId::events)] / 2;

// This clock is a system call, which a sandbox may not know.
uint64_t measured_cpu_ns() noexcept { return is_sandboxed() ? 0 : process_cpu_ns(); }

}  // namespace

constinit std::atomic<size_t> g_exact_from{kGateShut};
constinit Accounting g_accounting;

void Accounting::start(JoinSupervisor join, bool is_eager) noexcept {
  join_ = join;
  if (!fork_mark_) fork_mark_ = static_cast<uint32_t*>(map_wiped_on_fork());
  if (fork_mark_) *fork_mark_ = 1;
  python_arrived();
  state_.store(AccountingState::waiting, std::memory_order_release);
  g_exact_from.store(kExactThreshold, std::memory_order_relaxed);
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
  SpinGuard guard(join_lock_, LockRank::join);
  if (state_.load(std::memory_order_relaxed) == AccountingState::waiting) {
    bool joined = join();
    if (!joined) g_exact_from.store(kGateOpen, std::memory_order_relaxed);
    state_.store(joined ? AccountingState::on : AccountingState::off, std::memory_order_release);
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
  cost_.start(&ledger_, h.started_mono_ns);
  timeline_.start(&ledger_);
  history_.start(&ledger_, &stacks_.series());
  for (int i = 0; i < facts_.size(); ++i) write_fact(facts_.key(i), facts_.value(i));
  if (job_rank(text, sizeof text)) write_fact("rank", text);  // a forked child asks for its own
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
  memory_after_fork();
  cost_.forget_ledger();
  if (ledger_.memory()) syscall(SYS_munmap, ledger_.memory(), ledger::reserved_bytes());
  ledger_.forget_memory();  // something else may soon lie there
  if (tables_ready_) {
    stacks_.restart();
    sites_.restart();
    blocks_.restart();
    maps_.restart();
    op_names_.restart();
    pools_.restart();
    nodes_.restart();
  }
  join_lock_.store(0, std::memory_order_relaxed);
  events_lock_.store(0, std::memory_order_relaxed);
  timeline_.restart();
  cpu_clock_.restart();
  unjoined_bytes_.store(0, std::memory_order_relaxed);
  has_left_ledger_ = false;
  g_thread.cost = {};
  g_thread.nodes = {};
  if (g_thread.memory) g_thread.memory->last_birth_cycles = 0;
  state_.store(AccountingState::waiting, std::memory_order_release);
  g_exact_from.store(kExactThreshold, std::memory_order_relaxed);
}

// ---- the end of an attachment ----

void Accounting::stop() noexcept {
  ErrnoKeeper keep;
  set_watch(nullptr);
  set_fork_watch(nullptr);
  set_refusal_watch(nullptr);
  if (is_on()) look_for_the_last_time();
  start_anew();
  state_.store(AccountingState::unstarted, std::memory_order_release);
  g_exact_from.store(kGateOpen, std::memory_order_relaxed);
}

// ---- timeline, heap, refusals ----

void Accounting::add_to_timeline(Tick tick, uint64_t last, uint64_t cycles) noexcept {
  const Clocks now{now_ns(), is_sandboxed() ? 0 : cpu_clock_.now(), cycles};
  if (timeline_.is_after_pause(last, cycles)) timeline_.add_before_pause(tick, last, now);
  if (timeline_.add(tick, now)) measure_heap();
}

// Not on the hot path: mallinfo2 visits every free chunk in libc's bins.
void Accounting::measure_heap() noexcept {
  using Mallinfo2 = struct mallinfo2 (*)();
  static const auto measure = reinterpret_cast<Mallinfo2>(find_symbol_in("libc.so.6", "mallinfo2"));
  if (!measure) return;
  struct mallinfo2 info = measure();
  Header& h = ledger_.header();
  h.heap_taken.store(info.arena + info.hblkhd + territory().mapped_bytes(),
                     std::memory_order_relaxed);
  h.heap_free.store(info.fordblks + territory().waiting_bytes(), std::memory_order_relaxed);
  h.heap_tick.store(h.tick.load(std::memory_order_relaxed), std::memory_order_relaxed);
}

void Accounting::refused(uint64_t bytes, uintptr_t caller) noexcept {
  BusyGuard busy;
  if (!busy || !is_on()) return;
  ErrnoKeeper keep;
  ThreadStack* thread = thread_stack();
  StackId stack = thread ? stacks_.here(*thread, {caller, bytes, false}) : StackId{};
  add_event(ledger::EventKind::failed_allocation, StringId{}, StringId{}, stack, bytes);
  if (RefusalWatch watch = refusal_watch_.load(std::memory_order_acquire)) watch(bytes);
}

// ---- cost ----

uint64_t Accounting::reserved_bytes() noexcept {
  return own_mapped_bytes() + (is_on() ? ledger::reserved_bytes() : 0);
}

// ---- events ----

void Accounting::add_event(ledger::EventKind kind, StringId what, StringId text, StackId stack,
                           uint64_t value) noexcept {
  if (kind == ledger::EventKind::teardown) mark(ledger::ProcessState::exiting);
  uint64_t cpu = measured_cpu_ns();
  SpinGuard guard(events_lock_, LockRank::timeline);
  bool leaves_room =
      kind != ledger::EventKind::pause || ledger_.used(TableId::events) < kMostPauses;
  if (!leaves_room) return;
  uint32_t index = ledger_.claim(TableId::events, 1);
  if (index == ledger::Writer::kNone) return;
  Tick tick = ledger_.header().tick.load(std::memory_order_relaxed);
  *ledger_.record<ledger::Event>(TableId::events, index) = {
      static_cast<uint32_t>(kind), what, text, stack, value, tick, now_ns(), cpu};
  ledger_.publish(TableId::events, index + 1);
}

// Kept beside the ledger as well: a forked child writes them into its own.
void Accounting::add_fact(const char* key, const char* value) noexcept {
  BusyGuard busy;
  facts_.set(key, value);
  if (is_on()) write_fact(key, value);
}

void Accounting::add_note(const char* key, const char* value) noexcept {
  BusyGuard busy;
  if (is_on()) write_fact(key, value);
}

void Accounting::write_fact(const char* key, const char* value) noexcept {
  StringId k = stacks_.table().string(key, static_cast<uint32_t>(strlen(key)));
  StringId v = stacks_.table().string(value, static_cast<uint32_t>(strlen(value)));
  SpinGuard guard(events_lock_, LockRank::timeline);
  uint32_t index = ledger_.claim(TableId::facts, 1);
  if (index == ledger::Writer::kNone) return;
  *ledger_.record<ledger::Fact>(TableId::facts, index) = {k, v};
  ledger_.publish(TableId::facts, index + 1);
}

void Accounting::count_step(const char* name, bool is_frameworks) noexcept {
  BusyGuard busy;
  if (!busy || !ensure_on()) return;
  SeriesKey key{};
  key.kind = ledger::SeriesKind::named;
  key.owner = stacks_.table().string(name, static_cast<uint32_t>(strlen(name))).value;
  key.start = is_frameworks ? ledger::kFrameworksStep : 0;
  stacks_.series().count(stacks_.series().find(key), Move::backwards);
}

void Accounting::ignore_begins() noexcept { ++g_thread.ignoring; }
void Accounting::ignore_ends() noexcept {
  if (g_thread.ignoring) --g_thread.ignoring;
}

// Memory of a device is not seen: what is worth knowing is whether the program has one.
void Accounting::note_device() noexcept {
  struct Driver {
    const char *library, *symbol, *name;
  };
  static constexpr Driver kDrivers[] = {{"libcuda.so.1", "cuInit", "cuda"},
                                        {"libamdhip64.so", "hipInit", "rocm"},
                                        {"libtpu.so", "GetPjrtApi", "tpu"}};
  for (const Driver& driver : kDrivers) {
    if (find_symbol_in(driver.library, driver.symbol)) add_fact("device", driver.name);
  }
}

void Accounting::measure_file_pages() noexcept {
  std::atomic<uint64_t>& most = ledger_.header().most_file_bytes;
  uint64_t now = resident_memory().file_bytes, before = most.load(std::memory_order_relaxed);
  while (now > before && !most.compare_exchange_weak(before, now, std::memory_order_relaxed)) {
  }
}

void Accounting::mark(ledger::ProcessState state) noexcept {
  if (!is_on()) return;
  if (state == ledger::ProcessState::exiting || state == ledger::ProcessState::exited)
    note_device();
  if (state == ledger::ProcessState::exited) {
    look_for_the_last_time();
    measure_heap();
  }
  ledger_.header().state.store(static_cast<uint32_t>(state), std::memory_order_release);
}

// The supervisor's last look may have been long before the end.
void Accounting::look_for_the_last_time() noexcept {
  ledger_.header().ended_mono_ns.store(now_ns(), std::memory_order_relaxed);
  ledger_.header().ended_cpu_ns.store(measured_cpu_ns(), std::memory_order_relaxed);
  measure_file_pages();
  cost_.measure_memory();
}

}  // namespace tenure::inproc
