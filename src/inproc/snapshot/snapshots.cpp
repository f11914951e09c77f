#include "inproc/snapshot/snapshots.h"

#include <algorithm>

#include "inproc/accounting/metered_part.h"
#include "inproc/os/clock.h"
#include "inproc/os/sandbox.h"
#include "inproc/snapshot/hidden_child.h"
#include "inproc/snapshot/late_growth.h"
#include "inproc/snapshot/orphans.h"
#include "inproc/snapshot/snapshot_file.h"
#include "inproc/snapshot/spared_data.h"

namespace tenure::inproc {
namespace {

using ledger::SnapshotReason;

constexpr uint64_t kFirstMilestone = 32ull << 20;  // above the level at the start
constexpr uint64_t kLeastInherited =
    16ull << 20;  // above that level: what a child can copy of it is worth a name
constexpr uint64_t kSmallestHeld = 256ull
                                   << 10;  // above that level: less is not worth a look at exit
constexpr uint64_t kMostBeyondHeld = 4;    // times what is held: a larger request fails by itself
constexpr uint64_t kLongestNs = 60000000000;
// Processor time that snapshots may take, the copies' included: 1/50 of the program's so far. For a loop of the user's that
// grows, so much in advance: what main() holds has a name only while it runs, and a short run must show it too. At exit
// half a second or 3/100.
constexpr uint64_t kMostShare = 50;
constexpr uint64_t kInAdvanceNs = 4000000000;
constexpr uint64_t kExitNs = 500000000;
constexpr uint64_t kExitPercent = 3;
constexpr uint64_t kExpectedNs = 100000000;  // of the first one
constexpr uint64_t kLookAgainNs = 10000000;  // when one could not be paid
constexpr uint64_t kYoungNs =
    60000000000;  // of its own time: until then a copy hurries, the run may be over soon

constinit Snapshots g_snapshots;

struct Taking {
  Accounting* accounting;
  const SnapshotLink* link;
  const HeapApi* api;
  const KnownObjects* known;
  const TorchLayout* torch;
  Object main_module;
  SharedWithCopies* shared;
  ledger::SnapshotHeader header;
};

int open_link(void* context) noexcept {
  auto* taking = static_cast<Taking*>(context);
  return taking->link->announce(taking->header.pid);
}

// Before its parent may take the next one.
void book_copy(const Taking& taking) noexcept {
  uint64_t spent = now_ns(CLOCK_PROCESS_CPUTIME_ID);
  ledger::Header& told = taking.accounting->ledger().header();
  told.copy_ns.fetch_add(spent, std::memory_order_relaxed);
  uint64_t bytes = g_own_maps.resident();
  if (told.copy_bytes.load(std::memory_order_relaxed) < bytes)
    told.copy_bytes.store(bytes, std::memory_order_relaxed);
  if (taking.shared) taking.shared->spent_ns.fetch_add(spent, std::memory_order_relaxed);
}

void walk_and_deliver(Taking* taking, int connection) noexcept {
  taking->header.pause_ns = now_ns() - taking->header.mono_ns;
  taking->accounting->stand_aside();
  const KnownObjects& known = *taking->known;
  BlockIndex blocks;
  HeapGraph heap;
  HeapWalk walk(*taking->api, blocks, *taking->torch, heap);
  for (size_t i = 0; i < known.tracked_count; ++i)
    walk.know({known.tracked[i].object, blocks.add_token(i, known.tracked[i].cause), false});
  blocks.fill(*taking->accounting);
  for (size_t i = 0; i < known.own_count; ++i) walk.silence(known.own[i]);
  for (size_t i = 0; i < known.link_count; ++i) walk.know(known.links[i]);
  walk.run();
  adopt_orphans(heap);
  PrunedGraph pruned;
  prune(heap, blocks, pruned);
  if (g_snapshot_is_short) return;
  taking->header.objects = heap.nodes.size();
  int memfd = write_snapshot(taking->header, *taking->api, *taking->accounting, heap,
                             *taking->torch, blocks, pruned, taking->main_module);
  book_copy(*taking);
  if (memfd >= 0) taking->link->deliver(connection, taking->header.pid, memfd);
}

void work_in_child(void* context, int connection) noexcept {
  auto* taking = static_cast<Taking*>(context);
  walk_and_deliver(taking, connection);
  uint64_t since = taking->header.mono_ns;  // unless another was begun meanwhile
  if (taking->shared) taking->shared->running_since.compare_exchange_strong(since, 0);
}

// What a copy of this process can write and we can read.
constexpr size_t kSharedBytes = 4096;
SharedWithCopies* map_shared() noexcept {
  long p = syscall(SYS_mmap, nullptr, kSharedBytes, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS, -1, 0L);
  return p == -1 ? nullptr : reinterpret_cast<SharedWithCopies*>(p);
}

// All objects are looked at once, while the collector's own walk has them at hand. Nearly all are of a few types.
struct InstanceSearch {
  static constexpr size_t kRecent = 256;
  struct Answer {
    Object type;
    bool is_wanted;
  };

  const Column<Object>& types;
  Column<Object>* found;
  AddressMap known;  // type -> whether it derives from one of `types`
  Answer recent[kRecent] = {};

  static int visit(char* object, void* context) noexcept {
    auto& search = *static_cast<InstanceSearch*>(context);
    Object type = type_of(object);
    Answer& answer = search.recent[reinterpret_cast<uintptr_t>(type) / 16 % kRecent];
    if (answer.type != type) answer = {type, search.derives(type)};
    if (answer.is_wanted) search.found->push(object);
    return 1;
  }

  bool derives(Object type) noexcept {
    bool is_fresh;
    uint32_t* answer = known.find_or_add(reinterpret_cast<uint64_t>(type), &is_fresh);
    if (!answer) return false;
    if (is_fresh)
      *answer = std::any_of(types.begin(), types.end(),
                            [&](Object wanted) { return has_base(type, wanted); });
    return *answer;
  }
};

}  // namespace

Snapshots& snapshots() noexcept { return g_snapshots; }

const char* Snapshots::start(Accounting& accounting, const SnapshotLink& link) noexcept {
  accounting_ = &accounting;
  link_ = link;
  if (accounting.python().state() != ReaderState::on) return "off: not for this interpreter";
  if (!find_heap_api(accounting.python().version(), &api_))
    return "off: the heap of this Python is not known";
  start_process();
  reserve_hidden_stack();
  is_on_ = true;
  return nullptr;
}

void Snapshots::start_process() noexcept {
  pid_ = getpid();
  pause_ns_ = 0;
  taken_ = 0;
  answered_ = accounting_->is_on() ? wanted_count() : 0;
  has_forked_.store(false, std::memory_order_relaxed);
  inherited_bytes_.store(0, std::memory_order_relaxed);
  refused_bytes_.store(0, std::memory_order_relaxed);
  has_seen_refusal_ = false;
  shared_ = map_shared();  // a forked child's own; what it inherited is its parent's
  set_base(level());
}

void Snapshots::begin_anew() noexcept {
  if (shared_) syscall(SYS_munmap, shared_, kSharedBytes);
  last_taken_ns_ = 0;
  start_process();
}

bool Snapshots::note_fork() noexcept {
  if (!is_on_ || !accounting_->is_on() || is_loading()) return false;
  uint64_t live = live_bytes(), before = inherited_bytes_.load(std::memory_order_relaxed);
  if (live < base_bytes() + kLeastInherited || live < before + before / 8) return false;
  inherited_bytes_.store(live, std::memory_order_relaxed);
  has_forked_.store(true, std::memory_order_relaxed);
  next_bytes_.store(0, std::memory_order_relaxed);
  return is_affordable();
}

void Snapshots::set_base(uint64_t bytes) noexcept {
  base_bytes_.store(bytes, std::memory_order_relaxed);
  if (taken_ == 0) next_bytes_.store(bytes + kFirstMilestone, std::memory_order_relaxed);
}

void Snapshots::begin_loading() noexcept {
  if (!is_loading()) before_loading_ = level();
  next_bytes_.store(~0ull, std::memory_order_relaxed);
}

// What had grown before stays growth: a module may be imported at any time.
void Snapshots::end_loading() noexcept {
  uint64_t live = level();
  uint64_t taken = live > before_loading_ ? live - before_loading_ : 0;
  base_bytes_.store(std::min(live, base_bytes() + taken), std::memory_order_relaxed);
  postpone();
}

void Snapshots::postpone() noexcept {
  next_bytes_.store(level() + kFirstMilestone, std::memory_order_relaxed);
}

// What loading needed for a while may have been there when it ended: growth counts from where the program came down to.
void Snapshots::lower_base(uint64_t live) noexcept {
  if (!is_loading()) set_base(live);
}

// False in a forked child of the program that has no ledger of its own (yet).
bool Snapshots::is_ours() noexcept {
  if (!is_on_ || !accounting_->is_on() || accounting_->ledger().header().pid != getpid())
    return false;
  if (pid_ != getpid()) start_process();
  return true;
}

// A copy that was killed never says that it is done: the watchdog's time is the limit.
bool Snapshots::is_one_running() noexcept {
  uint64_t since = shared_ ? shared_->running_since.load() : 0;
  return since != 0 && now_ns() - since < kLongestNs;
}

// Of all so far, and of one.
uint64_t Snapshots::spent_ns() noexcept {
  return pause_ns_ + (shared_ ? shared_->spent_ns.load(std::memory_order_relaxed) : 0);
}
uint64_t Snapshots::expected_ns() noexcept { return taken_ ? spent_ns() / taken_ : kExpectedNs; }

// What a child inherited is seen now or never: the parent may only wait from here on.
bool Snapshots::is_affordable() noexcept {
  if (has_forked_.load(std::memory_order_relaxed)) return true;
  uint64_t now = now_ns();
  if (now < look_again_ns_.load(std::memory_order_relaxed)) return false;
  bool is_paid = !is_one_running();
  if (is_paid) {
    uint64_t advance = accounting_->stacks().series().has_grown() ? kInAdvanceNs : 0;
    is_paid = spent_ns() + expected_ns() <= process_cpu_ns() / kMostShare + advance;
  }
  if (!is_paid) look_again_ns_.store(now + kLookAgainNs, std::memory_order_relaxed);
  return is_paid;
}

// The end is worth more than the rest of the run, unless the last look saw nearly all of what there is.
bool Snapshots::is_last_affordable() noexcept {
  uint64_t allowed = std::max(kExitNs, process_cpu_ns() / 100 * kExitPercent);
  uint64_t live = live_bytes(), base = base_bytes();
  bool is_seen = taken_ > 0 && live - std::min(base, live) <= seen_bytes_ + seen_bytes_ / 8;
  return expected_ns() <= allowed || !is_seen;
}

// Nothing that grows: another look when there is more. What the frames of an error or of an interrupted program hold is
// asked for whether it grows or not.
bool Snapshots::is_worth_a_look(SnapshotReason reason) noexcept {
  bool is_stopped = reason == SnapshotReason::out_of_memory || reason == SnapshotReason::error ||
                    reason == SnapshotReason::interrupted;
  if (is_stopped || has_forked_.load(std::memory_order_relaxed)) return true;
  bool is_worth = has_late_growth(accounting_->ledger(), process_cpu_ns());
  if (!is_worth) {
    accounting_->stacks().series().forget_growth();
    set_milestone(live_bytes());
  }
  return is_worth;
}

bool Snapshots::may_take(SnapshotReason reason) noexcept {
  if (!is_ours() || accounting_->python().state() != ReaderState::on || is_sandboxed())
    return false;
  if (reason == SnapshotReason::asked) return true;
  if (reason == SnapshotReason::growth) return has_grown() && is_worth_a_look(reason);
  return live_bytes() >= base_bytes() + kSmallestHeld && is_last_affordable() &&
         is_worth_a_look(reason);
}

bool Snapshots::is_refusal_worth_a_look() noexcept {
  uint64_t refused = refused_bytes_.load(std::memory_order_relaxed);
  if (refused == 0 || !is_on_) return false;
  uint64_t live = live_bytes(), held = live > base_bytes() ? live - base_bytes() : 0;
  bool is_allowed = !has_seen_refusal_ || is_affordable();  // the first one is worth its price
  return held >= kSmallestHeld && held >= refused / kMostBeyondHeld && is_allowed;
}

std::optional<SnapshotReason> Snapshots::due_reason() noexcept {
  if (!is_ours()) return std::nullopt;  // asked for by the parent, before it forked
  if (is_wanted()) return SnapshotReason::asked;
  if (is_refusal_worth_a_look()) return SnapshotReason::out_of_memory;
  if (has_grown()) return SnapshotReason::growth;
  return std::nullopt;
}

void Snapshots::find_instances(const Column<Object>& types, Column<Object>* out) const noexcept {
  if (!is_on_ || types.size() == 0) return;
  InstanceSearch search{types, out};
  each_tracked(api_, &InstanceSearch::visit, &search);
  search.known.release();
}

Object Snapshots::find_main_module() noexcept {
  if (!is_on_ || main_module_ || accounting_->python().state() != ReaderState::on) return nullptr;
  return main_module_ = running_module(api_, accounting_->python());
}

// To walk the heap in the program itself would stop it for up to a second: rather none, and that is said.
void Snapshots::tell_fork_refused() noexcept {
  if (is_fork_refused_) return;
  is_fork_refused_ = true;
  accounting_->add_fact("snapshots",
                        "off: the system refused a copy of the program, so a snapshot is missing");
}

void Snapshots::set_milestone(uint64_t live) noexcept {
  uint64_t grown = live > base_bytes() ? live - base_bytes() : 0;
  next_bytes_.store(base_bytes() + std::max(kFirstMilestone, grown * 3 / 2),
                    std::memory_order_relaxed);
}

bool Snapshots::take(SnapshotReason reason, const KnownObjects& known) noexcept {
  if (!is_ours()) return false;
  MeteredPart metered;
  const ledger::Header& ledger = accounting_->ledger().header();
  Taking taking{accounting_, &link_, &api_, &known, &torch_, main_module_, shared_, {}};
  ledger::SnapshotHeader& header = taking.header;
  header.pid = pid_;
  header.reason = static_cast<uint32_t>(reason);
  header.tick = Tick{ledger.tick.load(std::memory_order_relaxed)};
  uint64_t live = live_bytes();
  header.live_bytes = ledger.live_bytes.load(std::memory_order_relaxed);
  header.mono_ns = now_ns();
  uint64_t started = own_cpu_ns();
  bool is_taken;
  uint64_t made_ns = 0;  // by the kernel, beside this thread
  if (shared_) shared_->running_since.store(header.mono_ns);
  {
    HeldSignals held;
    SnapshotFork gate;
    SparedData spared(gate, accounting_->blocks());
    bool is_idle = reason == SnapshotReason::growth && process_cpu_ns() > kYoungNs &&
                   !has_forked_.load(std::memory_order_relaxed);
    is_taken = run_hidden(held, {&open_link, &work_in_child, &taking, is_idle}, &made_ns);
  }
  if (!is_taken && shared_) shared_->running_since.store(0);
  if (!is_taken) tell_fork_refused();
  answered_ = wanted_count();
  if (reason == SnapshotReason::out_of_memory) has_seen_refusal_ = true;
  refused_bytes_.store(0, std::memory_order_relaxed);
  last_taken_ns_ = header.mono_ns;
  accounting_->cost().add_part(made_ns);
  pause_ns_ += own_cpu_ns() - started + made_ns;
  ++taken_;
  has_forked_.store(false, std::memory_order_relaxed);
  accounting_->stacks().series().forget_growth();
  seen_bytes_ = live > base_bytes() ? live - base_bytes() : 0;
  set_milestone(live);
  return is_taken;
}

}  // namespace tenure::inproc
