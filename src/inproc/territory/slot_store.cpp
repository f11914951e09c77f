#include "inproc/territory/slot_store.h"

#include "inproc/os/clock.h"
#include "inproc/os/memory.h"
#include "inproc/os/spin_lock.h"

namespace tenure::inproc {
namespace {

constexpr uintptr_t kSlabMark = 0x51ab0f51075f1e00;

void add(Slab*& list, Slab* slab) noexcept {
  slab->before = nullptr;
  slab->next = list;
  if (list) list->before = slab;
  list = slab;
}

void remove(Slab*& list, Slab* slab) noexcept {
  (slab->before ? slab->before->next : list) = slab->next;
  if (slab->next) slab->next->before = slab->before;
}

BlockHead* pop_slot(Slab* slab) noexcept {
  BlockHead* slot = slab->free;
  if (slot) {
    slab->free = slot->next;
  } else {
    slot = reinterpret_cast<BlockHead*>(slab->start() + slab->fresh_at);
    slab->fresh_at += slot_bytes(slab->size_class);
    Slab::clear(slot);  // the slab may have had other slots before
  }
  ++slab->used;
  return slot;
}

}  // namespace

bool SlotStore::is_slab(const Slab* slab) noexcept {
  return slab->check == (slab->start() ^ kSlabMark);
}

bool SlotStore::start(uintptr_t base) noexcept {
  is_mapped_ = static_cast<uint8_t*>(map_pages(kSlotRing / kSlabBytes));
  return is_mapped_ && ring_.start(base, kSlotRing);
}

bool SlotStore::owns(const void* p) const noexcept {
  if (!holds(p)) return false;
  const Slab* slab = Slab::of(p);
  const BlockHead& head = head_of(p);
  return head.is_live && is_slab(slab) && head.size_class == slab->size_class;
}

bool SlotStore::has_block_at(const void* p) const noexcept {
  if (!has_memory_at(p)) return false;
  const Slab* slab = Slab::of(p);
  size_t at = reinterpret_cast<uintptr_t>(p) - slab->start();
  if (!is_slab(slab) || at < sizeof(Slab) + kPlainOffset || at >= slab->fresh_at) return false;
  size_t within = (at - sizeof(Slab)) % slot_bytes(slab->size_class);
  return slab->block_in(slab->start() + at - within) == p;
}

bool SlotStore::had_block_at(const void* p) const noexcept {
  if (!has_memory_at(p)) return false;
  const Slab* slab = Slab::of(p);
  size_t at = reinterpret_cast<uintptr_t>(p) - slab->start();
  if (!is_slab(slab) || at < sizeof(Slab) + kPlainOffset || at >= slab->fresh_at) return false;
  const BlockHead& head = head_of(p);
  return !head.is_live && head.size_class == slab->size_class &&
         head.offset_bytes() == (at - sizeof(Slab)) % slot_bytes(slab->size_class);
}

Slab* SlotStore::map() noexcept {
  void* pages = ring_.map(kSlabBytes, kSlabBytes);
  if (!pages) return nullptr;
  slabs_.fetch_add(1, std::memory_order_relaxed);
  size_t index = index_of(pages), count = slab_count_.load(std::memory_order_relaxed);
  is_mapped_[index] = 1;
  while (index >= count &&
         !slab_count_.compare_exchange_weak(count, index + 1, std::memory_order_relaxed)) {
  }
  return static_cast<Slab*>(pages);
}

Slab* SlotStore::fresh_slab(uint32_t size_class) noexcept {
  Slab* slab = pop_empty();
  if (!slab) slab = map();
  if (!slab) return nullptr;
  *slab = {};
  slab->check = slab->start() ^ kSlabMark;
  slab->size_class = size_class;
  slab->fresh_at = sizeof(Slab);
  return slab;
}

// Under the lock of the class. Mapping a slab is the one system call made under a lock here; a signal handler or a fork
// that meets it does without.
Slab* SlotStore::slab_with_room(Class& of, uint32_t size_class) noexcept {
  if (of.slabs) return of.slabs;
  Slab* slab = fresh_slab(size_class);
  if (!slab) return nullptr;
  slab->generation = of.generation;
  add(of.slabs, slab);
  return slab;
}

BlockHead* SlotStore::take(uint32_t size_class, uint32_t count, uint32_t* taken) noexcept {
  Class& of = classes_[size_class];
  BlockHead* chain = nullptr;
  *taken = 0;
  TryGuard guard(of.lock);
  if (!guard) return nullptr;
  if (BlockHead* late = of.late.exchange(nullptr, std::memory_order_acquire)) {
    if (Slab* emptied = return_slots(of, late)) keep_empty(emptied);
  }
  while (*taken < count) {
    Slab* slab = slab_with_room(of, size_class);
    if (!slab) break;
    BlockHead* slot = pop_slot(slab);
    if (slab->is_full()) remove(of.slabs, slab);
    slot->next = chain;
    chain = slot;
    ++*taken;
  }
  return chain;
}

// Under the lock. Gives a slab that has become empty, if the class has another one with room; at most one a time is
// given, so the others wait in the list of the class.
Slab* SlotStore::return_slots(Class& to, BlockHead* chain) noexcept {
  Slab* emptied = nullptr;
  while (chain) {
    BlockHead* slot = chain;
    chain = chain->next;
    Slab* slab = Slab::of(slot);
    if (slab->generation != to.generation) continue;
    if (slab->is_full()) add(to.slabs, slab);
    slot->next = slab->free;
    slab->free = slot;
    bool is_spare = --slab->used == 0 && !emptied && (slab->next || slab->before);
    if (is_spare) {
      remove(to.slabs, slab);
      emptied = slab;
    }
  }
  return emptied;
}

void SlotStore::put_back(uint32_t size_class, BlockHead* chain) noexcept {
  if (!chain) return;
  Class& to = classes_[size_class];
  Slab* emptied = nullptr;
  {
    TryGuard guard(to.lock);
    if (!guard) {
      BlockHead* last = chain;
      while (last->next) last = last->next;
      last->next = to.late.load(std::memory_order_relaxed);
      while (!to.late.compare_exchange_weak(last->next, chain, std::memory_order_release)) {
      }
      return;
    }
    emptied = return_slots(to, chain);
  }
  if (emptied) keep_empty(emptied);
}

void SlotStore::unmap(Slab* slab) noexcept {
  slabs_.fetch_sub(1, std::memory_order_relaxed);
  is_mapped_[index_of(slab)] = 0;
  ring_.unmap(slab, kSlabBytes);
}

void SlotStore::keep_empty(Slab* slab) noexcept {
  slab->check = 0;
  slab->emptied_ns = now_ns();
  {
    TryGuard guard(empty_lock_);
    if (guard && empty_count_ < kMostEmpty) {
      add(empty_, slab);
      ++empty_count_;
      return;
    }
  }
  unmap(slab);
}

Slab* SlotStore::pop_empty() noexcept {
  TryGuard guard(empty_lock_);
  if (!guard || !empty_) return nullptr;
  Slab* slab = empty_;
  remove(empty_, slab);
  --empty_count_;
  return slab;
}

Slab* SlotStore::pop_stale(uint64_t now_ns) noexcept {
  TryGuard guard(empty_lock_);
  if (!guard) return nullptr;
  for (Slab* slab = empty_; slab; slab = slab->next) {
    if (now_ns - slab->emptied_ns < kPatienceNs) continue;
    remove(empty_, slab);
    --empty_count_;
    return slab;
  }
  return nullptr;
}

bool SlotStore::decay(uint64_t now_ns) noexcept {
  bool has_gone = false;
  for (Slab* slab; (slab = pop_stale(now_ns)) != nullptr; has_gone = true) unmap(slab);
  return has_gone;
}

// Slots that other threads of the parent kept, or were just moving, stay unused here.
void SlotStore::after_fork_in_child() noexcept {
  for (Class& of : classes_) {
    if (of.lock.load(std::memory_order_relaxed) == 0) continue;
    of.slabs = nullptr;
    ++of.generation;
    of.lock.store(0, std::memory_order_relaxed);
  }
  if (empty_lock_.exchange(0, std::memory_order_relaxed)) {
    empty_ = nullptr;
    empty_count_ = 0;
  }
}

uint64_t SlotStore::idle_bytes() noexcept {
  uint64_t bytes = 0;
  for (Class& of : classes_) {
    TryGuard guard(of.lock);
    for (Slab* slab = guard ? of.slabs : nullptr; slab; slab = slab->next)
      bytes += slab->idle_bytes();
  }
  TryGuard guard(empty_lock_);
  for (Slab* slab = guard ? empty_ : nullptr; slab; slab = slab->next)
    bytes += slab->fresh_at - sizeof(Slab);
  return bytes;
}

}  // namespace tenure::inproc
