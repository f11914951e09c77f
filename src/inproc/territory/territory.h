// inproc/territory/territory.h: Tenure's own heap for blocks from 1 KiB up. Middle ones come from slots that each thread
// keeps for itself, big ones have a span each whose pages stay warm from one block to the next: libc's way costs a walk
// over its bins, or a page fault for every page.
// World: inside. Any thread, signal handlers too. Where it cannot help it says so, and libc's heap is asked as without us.
// Cost: a warm slot about 30 instructions, a warm span two short locks; a fresh one is the mmap that libc would make.
#pragma once
#include "inproc/territory/address_ring.h"
#include "inproc/territory/huge_pages.h"
#include "inproc/territory/slot_cache.h"
#include "inproc/territory/span.h"
#include "inproc/territory/warm_spans.h"

namespace tenure::inproc {

class Territory {
 public:
  static constexpr size_t kFrom = kSlotsFrom;
  static constexpr size_t kSpansFrom = kSlotsTo;  // glibc's own border between heap and mapping

  // Before the program's first thread. False, and off: no such addresses here.
  bool start() noexcept {
    uintptr_t base = random_base();
    return slots_.start(base + kSpanRing) && ring_.start(base, kSpanRing);
  }
  bool is_on() const noexcept { return ring_.is_started(); }

  // Whether the address is that of a block of ours.
  bool owns(const void* p) const noexcept {
    return slots_.owns(p) || (ring_.holds(p) && span_of(p) != nullptr);
  }

  // The head of a block of ours that began there, has been given back, and nobody has now; nullptr: there is none.
  const BlockHead* released_at(const void* p) const noexcept;

  // Blocks in slots carry the accounting's note in their heads; the others have to be noted elsewhere. The address may
  // also be that of a mapping.
  bool has_head_for_note(const void* p) const noexcept { return slots_.has_memory_at(p); }
  const SlotStore& slots() const noexcept { return slots_; }

  // A block as malloc or calloc would give it. nullptr: too small, a rare alignment, or refused.
  void* allocate(size_t n, size_t alignment, bool is_zeroed) noexcept {
    if (n < kFrom || !is_on()) return nullptr;
    return n < kSpansFrom ? slot_for(n, alignment, is_zeroed) : span_for(n, alignment, is_zeroed);
  }
  // The same for a block that outgrew its place and will grow again: it may have a bigger span than it needs, if one waits.
  // Else a list that is filled anew each round would meet fresh pages each round.
  void* allocate_to_grow(size_t n) noexcept {
    bool is_middle = n >= kSpansFrom && n < kGrownTo && is_on();
    return is_middle ? span_for(n, 16, false, kGrownTo) : allocate(n, 16, false);
  }
  // The next ones only for blocks that owns() knows.
  void release(void* p) noexcept {
    BlockHead& head = head_of(p);
    if (head.size_class == BlockHead::kOfSpan) return release_span(p);
    auto* slot = reinterpret_cast<BlockHead*>(static_cast<char*>(p) - head.offset_bytes());
    uint32_t size_class = head.size_class;
    Slab::clear(slot);
    if (!g_slot_cache.keep(size_class, slot)) g_slot_cache.flush(slots_, size_class, slot);
  }
  // The block with room for n bytes, where it is or moved by whole pages. nullptr: make another one and copy.
  void* resize(void* p, size_t n) noexcept;
  // The block has less room from now on and stays where it is. Never refused, also where no other block can be had.
  void shrink(void* p, size_t n) noexcept;
  size_t usable(const void* p) const noexcept;
  // The program asked for less than the block was made for.
  void set_requested(void* p, size_t n) noexcept { head_of(p).requested = n; }

  // Gives back what has waited too long, and what leaves no room for `wanted` fresh bytes.
  void decay(size_t wanted = 0) noexcept;
  // Gives back all that waits. True: something was.
  bool trim() noexcept;
  // What waited is the parent's, and goes; live blocks stay as they are.
  void after_fork_in_child() noexcept;

  // The calling thread ends.
  void close_thread() noexcept { g_slot_cache.close(); }

  uint64_t mapped_bytes() const noexcept { return warm_.mapped_bytes() + slots_.mapped_bytes(); }
  uint64_t waiting_bytes() noexcept { return warm_.waiting_bytes() + slots_.idle_bytes(); }

 private:
  static constexpr size_t kLargestWiped = 2 << 20;  // bigger zeroed blocks get fresh pages
  static constexpr size_t kGrownTo = 1 << 20;       // the most that a growing block gets beforehand

  static BlockHead head_for(size_t n, size_t offset, uint32_t size_class) noexcept {
    return {{nullptr}, n, offset / BlockHead::kGrain, size_class, 1, 0, 0, 0};
  }
  void* slot_for(size_t n, size_t alignment, bool is_zeroed) noexcept {
    if (alignment > 64) return nullptr;
    uint32_t size_class = slot_class(n);
    BlockHead* slot = g_slot_cache.take(size_class);
    if (__builtin_expect(!slot, 0)) slot = g_slot_cache.refill(slots_, size_class);
    if (!slot) return nullptr;
    void* p = reinterpret_cast<char*>(slot) + slot_offset(alignment);
    head_of(p) = head_for(n, slot_offset(alignment), size_class);
    if (is_zeroed) __builtin_memset(p, 0, n);
    return p;
  }
  void* resized_slot(void* p, size_t n) noexcept;

  void* span_for(size_t n, size_t alignment, bool is_zeroed, size_t most = 0) noexcept;
  void release_span(void* p) noexcept;
  Span* span_of(const void* p) const noexcept;
  Span* warm_span(size_t bytes, size_t most) noexcept;
  Span* fresh_span(size_t bytes) noexcept;
  bool has_dear_huge_pages(void* pages, size_t bytes) noexcept;
  void unmap(Span* span) noexcept { ring_.unmap(span, span->bytes); }
  void* place(Span* span, size_t n, size_t alignment) noexcept;
  void* grow(Span* span, void* p, size_t bytes) noexcept;

  SlotStore slots_;
  AddressRing ring_;  // of the spans
  WarmSpans warm_;
  HugePages huge_;
  std::atomic<uint32_t> turn_{0};  // of the colours; relaxed
};

extern constinit Territory g_territory __attribute__((visibility("hidden")));
inline Territory& territory() noexcept { return g_territory; }

}  // namespace tenure::inproc
