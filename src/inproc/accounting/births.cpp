// inproc/accounting/births.cpp: the hot half of Accounting: births and ends of blocks.
// World: inside. Any thread. What costs here is counted in locked instructions: a birth takes five (tick, live bytes, the
// locks of its site, its shard and its series), an end three, a lookup of a block that is not tracked none.
#include "base/hash.h"
#include "inproc/accounting/accounting.h"
#include "inproc/accounting/sampling.h"
#include "inproc/accounting/thread_state.h"
#include "inproc/os/clock.h"
#include "inproc/os/sandbox.h"
#include "ledger/live_memory.h"

namespace tenure::inproc {
namespace {

using ledger::BlockKind;
using ledger::Header;
using ledger::Loss;

// The n-th thread that makes blocks draws the same numbers in every run: the same program, the same samples.
constinit std::atomic<uint64_t> g_seeded_threads{0};
uint64_t next_seed() {
  return mix(g_seeded_threads.fetch_add(1, std::memory_order_relaxed), kSampleMean);
}

// Then most blocks that end here were never tracked.
bool is_exact_threshold_raised() {
  return g_exact_from.load(std::memory_order_relaxed) > kExactThreshold;
}

// One slow path; timed when its turn comes.
class Metered {
 public:
  explicit Metered(OwnCost& cost) noexcept : cost_(cost) {
    if (__builtin_expect(--g_thread.cost.until_timed > 0, 1)) return;
    parts_ = g_thread.cost.parts;
    started_ = cost.begin(g_thread.cost);
  }
  ~Metered() {
    if (__builtin_expect(started_ == 0, 1)) return;
    bool is_booked = g_thread.cost.parts != parts_;  // a rare path in it was metered whole
    if (!is_booked) cost_.finish(g_thread.cost, started_, now_ns());
  }
  Metered(const Metered&) = delete;
  Metered& operator=(const Metered&) = delete;

 private:
  OwnCost& cost_;
  uint64_t started_ = 0;
  uint32_t parts_ = 0;
};

}  // namespace

bool Accounting::is_sampled(uint64_t bytes) noexcept {
  ThreadState& t = g_thread;
  if (t.is_busy) return false;
  if (!t.is_seeded) {
    t.is_seeded = true;
    t.random = Random(next_seed()).next();
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

void Accounting::born(const void* p, uint64_t bytes, BlockKind kind, uintptr_t caller,
                      bool is_resize) noexcept {
  BusyGuard busy;
  notice_fork(static_cast<bool>(busy));
  if (__builtin_expect(!is_on(), 0)) {
    if (state_.load(std::memory_order_relaxed) != AccountingState::waiting || !busy) return;
    if (!is_worth_joining(bytes) || !ensure_on()) return;
  }
  ThreadMemory* thread = busy ? thread_memory() : nullptr;
  if (!thread) return ledger_.lose(Loss::untracked_birth);
  {
    Metered metered(cost_);
    record_birth(*thread, {p, bytes, kind, caller, is_resize});
  }
  if (Watch watch = watch_.load(std::memory_order_acquire)) watch();
}

void Accounting::record_birth(ThreadMemory& thread, const Birth& birth) noexcept {
  StackId stack =
      stacks_.here(thread.stack, {birth.caller, birth.bytes, birth.kind != BlockKind::small_heap});
  ThreadNodes& nodes = g_thread.nodes;
  SiteKey key{
      stack, birth.kind, {}, {}, nodes_.makes_tensors(birth.caller), g_thread.ignoring != 0};
  if (birth.kind == BlockKind::heap) nodes.without_birth = 0;
  SiteId site = __builtin_expect(nodes.running.type != nullptr, 0)
                    ? site_in_node(thread, key)
                    : sites_.find(thread.sites, thread.stack.generation, key);
  if (__builtin_expect(sites_.is_fresh(site), 0)) describe_site(thread, site, birth.caller);
  Tick tick = ledger_.header().tick.fetch_add(1, std::memory_order_relaxed) + 1;
  Weight weight = weight_of(birth.bytes, birth.kind);
  uint32_t ordinal = sites_.birth(site, tick, weight, birth.is_resize);
  LiveBlock block{reinterpret_cast<uintptr_t>(birth.p), birth.bytes,
                  static_cast<uint64_t>(birth.kind), site, ordinal};
  LiveBlock older;
  if (!blocks_.insert(block, &older)) {
    sites_.end(site, ordinal, tick, weight);
    return ledger_.lose(Loss::untracked_birth);
  }
  if (__builtin_expect(older.address != 0, 0)) {  // its end went by unseen
    book_end(older);
    op_names_.forget(older.address);
  }
  if (__builtin_expect(g_current_op.name != nullptr, 0))
    op_names_.note(block, stacks_.table(), ledger_);
  if (ledger::counts_as_live(birth.kind))
    add_to_live(birth.bytes, tick);
  else if (birth.kind == BlockKind::small_heap)
    ledger_.header().small_bytes.fetch_add(weight.bytes, std::memory_order_relaxed);
  const uint64_t cycles = cycle_count(), last = thread.last_birth_cycles;
  thread.last_birth_cycles = cycles;
  bool is_turn = timeline_.is_turn(tick) || timeline_.is_after_pause(last, cycles);
  if (__builtin_expect(is_turn, 0) || stacks_.series().take_marked())
    add_to_timeline(tick, last, cycles);
}

void Accounting::describe_site(ThreadMemory& thread, SiteId id, uintptr_t caller) noexcept {
  uintptr_t base;
  const ledger::Site& site = sites_.site(id);
  bool is_of_library =
      nodes_.is_on() && !site.op && site.kind == static_cast<uint8_t>(BlockKind::heap);
  FrameId entered = is_of_library ? stacks_.entry_into(thread.stack, nodes_.library()) : FrameId{};
  sites_.describe(id, stacks_.module_of(caller, &base), entered);
}

// The backward of a node makes a block. Its line is the node's, not the one line that calls backward() for all of them.
SiteId Accounting::site_in_node(ThreadMemory& thread, SiteKey key) noexcept {
  const RunningNode& node = g_thread.nodes.running;
  key.forward = nodes_.where(node);
  uint8_t kind = SiteTable::kind_of(key);
  uint64_t hash =
      mix(mix(key.stack.value, key.forward.value), reinterpret_cast<uintptr_t>(node.type) ^ kind);
  RecentNodeSites::Entry& entry = thread.node_sites.entries[hash % RecentNodeSites::kEntries];
  bool is_known = entry.type == node.type && entry.stack == key.stack &&
                  entry.forward == key.forward && entry.generation == thread.stack.generation &&
                  entry.kind == kind;
  if (!is_known) {
    NamePart name = name_of_node_type(node.type);
    key.op = stacks_.table().string(name.text, name.length);
    entry = {node.type, key.stack, key.forward, sites_.find(key), thread.stack.generation, kind};
  }
  return entry.site;
}

void Accounting::node_made(uint64_t number) noexcept {
  if (!nodes_.is_on() || !GraphNodes::is_wanted(g_thread.nodes)) return;
  BusyGuard busy;
  notice_fork(static_cast<bool>(busy));
  ThreadMemory* thread = busy && is_on() ? thread_memory() : nullptr;
  if (!thread) return;
  Metered metered(cost_);
  nodes_.made(g_thread.nodes, number, stacks_.here(thread->stack, {0, 0, false}));
}

bool Accounting::ended(const void* p, LiveBlock* was) noexcept {
  if (__builtin_expect(!pools_.is_empty(), 0)) end_region(p);
  return end_block(p, was);
}

bool Accounting::end_block(const void* p, LiveBlock* was) noexcept {
  BusyGuard busy;
  notice_fork(static_cast<bool>(busy));
  if (!is_on()) return false;
  if (!busy) {  // a signal handler: the shard's lock may be held below us
    ledger_.lose(Loss::unmatched_end);
    return false;
  }
  Metered metered(cost_);
  auto address = reinterpret_cast<uintptr_t>(p);
  if (is_exact_threshold_raised() && blocks_.is_surely_absent(address)) return false;
  LiveBlock block;
  if (!blocks_.remove(address, &block)) return false;
  op_names_.forget(address);
  book_end(block);
  if (was) *was = block;
  return true;
}

void Accounting::book_end(const LiveBlock& block) noexcept {
  auto kind = static_cast<BlockKind>(block.kind);
  Header& h = ledger_.header();
  Weight weight = weight_of(block.bytes, kind);
  Tick tick = h.tick.load(std::memory_order_relaxed);
  SiteTable::Fall fall = sites_.end(block.site, block.ordinal, tick, weight);
  if (__builtin_expect(fall != SiteTable::Fall::none, 0)) note_release(block.site, fall, tick);
  if (ledger::counts_as_live(kind))
    h.live_bytes.fetch_sub(block.bytes, std::memory_order_relaxed);
  else if (kind == BlockKind::small_heap)
    h.small_bytes.fetch_sub(weight.bytes, std::memory_order_relaxed);
}

// Where the program is, which gives back what it had piled up.
void Accounting::note_release(SiteId site, SiteTable::Fall fall, Tick tick) noexcept {
  ThreadStack* thread = thread_stack();
  if (!thread) return;
  uint64_t cpu = is_sandboxed() ? 0 : cpu_clock_.now();
  sites_.note_release(site, fall, stacks_.glance(*thread), {tick, cpu});
}

bool Accounting::find(const void* p, LiveBlock* out) noexcept {
  BusyGuard busy;
  return busy && is_on() && blocks_.find(reinterpret_cast<uintptr_t>(p), out);
}

StackId Accounting::stack_of(const void* p) noexcept {
  LiveBlock block;
  return find(p, &block) ? sites_.site(block.site).stack : StackId{};
}

void Accounting::set_role(const void* p, ledger::Role role) noexcept {
  LiveBlock block;
  if (find(p, &block) && block.site) sites_.site(block.site).role = static_cast<uint8_t>(role);
}

bool Accounting::find_without_python(const void* p, LiveBlock* out) noexcept {
  if (!is_on() || !blocks_.find(reinterpret_cast<uintptr_t>(p), out)) return false;
  StackId stack = sites_.site(out->site).stack;
  if (!stack) return false;
  const auto* placed = ledger_.record<ledger::Stack>(ledger::TableId::stacks, stack.value);
  const auto* frame = ledger_.record<ledger::Frame>(ledger::TableId::frames, placed->frame.value);
  return frame->kind == static_cast<uint32_t>(ledger::FrameKind::native);
}

Tick Accounting::born_without_python(const void* p) noexcept {
  BusyGuard busy;
  LiveBlock block;
  return busy && find_without_python(p, &block) ? sites_.born_at(block.site, block.ordinal) : 0;
}

bool Accounting::lend_stack(const void* p, StackId stack) noexcept {
  BusyGuard busy;
  LiveBlock was;
  if (!busy || !stack || !find_without_python(p, &was)) return false;
  auto kind = static_cast<BlockKind>(was.kind);
  Weight weight = weight_of(was.bytes, kind);
  LiveBlock now = was;
  now.site = sites_.find({stack, kind});
  if (sites_.is_fresh(now.site)) sites_.describe(now.site, sites_.site(was.site).asker, {});
  now.ordinal = sites_.birth(now.site, sites_.born_at(was.site, was.ordinal), weight, false);
  LiveBlock older;
  blocks_.insert(now, &older);
  sites_.end(was.site, was.ordinal, ledger_.header().tick.load(std::memory_order_relaxed), weight);
  return true;
}

void Accounting::look_around() noexcept {
  BusyGuard busy;
  ThreadMemory* thread = busy && is_on() ? thread_memory() : nullptr;
  if (thread) stacks_.here(thread->stack, {0, 0, false});
}

KnownStack Accounting::stack_here() noexcept {
  BusyGuard busy;
  notice_fork(static_cast<bool>(busy));
  ThreadMemory* thread = busy && ensure_on() ? thread_memory() : nullptr;
  if (!thread) return {};
  StackId id = stacks_.here(thread->stack, {0, 0, false});
  return {id, thread->stack.generation};
}

void Accounting::watch_peak() noexcept {
  const uint64_t live = is_on() ? ledger_.header().live_bytes.load(std::memory_order_relaxed) : 0;
  watched_from_.store(live, std::memory_order_relaxed);
  watched_peak_.store(live, std::memory_order_relaxed);
  is_peak_watched_.store(true, std::memory_order_relaxed);
}

uint64_t Accounting::peak_watched() noexcept {
  is_peak_watched_.store(false, std::memory_order_relaxed);
  return watched_peak_.load(std::memory_order_relaxed) -
         watched_from_.load(std::memory_order_relaxed);
}

Moment Accounting::moment() noexcept {
  if (!ensure_on()) return {};
  const Header& h = ledger_.header();
  return {
      h.tick.load(std::memory_order_relaxed),
      h.live_bytes.load(std::memory_order_relaxed) + h.small_bytes.load(std::memory_order_relaxed)};
}

// All relaxed: each figure stands alone; with several threads the peak is right within the bytes in flight.
void Accounting::add_to_live(uint64_t bytes, Tick tick) noexcept {
  Header& h = ledger_.header();
  uint64_t live = h.live_bytes.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  if (is_peak_watched_.load(std::memory_order_relaxed)) [[unlikely]] {
    uint64_t most = watched_peak_.load(std::memory_order_relaxed);
    while (live > most &&
           !watched_peak_.compare_exchange_weak(most, live, std::memory_order_relaxed)) {
    }
  }
  uint64_t peak = h.peak_bytes.load(std::memory_order_relaxed);
  if (live <= peak) return;
  // First the epoch: from now on every site saves what it holds before it changes, however long this thread is kept from
  // writing the peak itself. A peak another thread writes meanwhile differs by no more than the bytes in flight.
  h.peak_epoch.fetch_add(1, std::memory_order_relaxed);
  while (live > peak) {
    if (!h.peak_bytes.compare_exchange_weak(peak, live, std::memory_order_relaxed)) continue;
    h.peak_tick.store(tick, std::memory_order_relaxed);
    break;
  }
}

}  // namespace tenure::inproc
