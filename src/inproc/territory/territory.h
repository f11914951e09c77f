// inproc/territory/territory.h: Tenure's own heap for big blocks. Their pages stay warm from one block to the next, which
// saves the page faults that libc's way of mapping and unmapping costs.
// World: inside. Any thread, signal handlers too. Where it cannot help it says so, and libc's heap is asked as without us.
// Cost: a warm block is two short locks; a fresh one is the mmap that libc would make.
#pragma once
#include "inproc/territory/address_ring.h"
#include "inproc/territory/warm_spans.h"

namespace tenure::inproc {

class Territory {
 public:
  static constexpr size_t kFrom = 128 << 10;  // glibc's own border between heap and mapping

  // Before the program's first thread. False, and off: no such addresses here.
  bool start() noexcept { return ring_.start(); }
  void stop() noexcept { ring_.stop(); }  // for tests, with no block alive
  bool is_on() const noexcept { return ring_.is_started(); }

  // Whether the address lies in the territory: one compare. Only owns() says that it is a block of ours.
  bool holds(const void* p) const noexcept { return ring_.holds(p); }
  bool owns(const void* p) const noexcept { return holds(p) && span_of(p) != nullptr; }

  // A block as malloc or calloc would give it. nullptr: too small, a rare alignment, or refused.
  void* allocate(size_t n, size_t alignment, bool is_zeroed) noexcept;
  // The next ones only for blocks that owns() knows.
  void release(void* p) noexcept;
  // The block with room for n bytes, where it is or moved by whole pages. nullptr: make another one and copy.
  void* resize(void* p, size_t n) noexcept;
  size_t usable(const void* p) const noexcept { return usable_bytes(head_of(p).requested); }

  // Gives back what has waited too long, and what leaves no room for `wanted` fresh bytes.
  void decay(size_t wanted = 0) noexcept;
  // Gives back all that waits. True: something was.
  bool trim() noexcept;
  // What waited is the parent's, and goes; live blocks stay as they are.
  void after_fork_in_child() noexcept;

  uint64_t mapped_bytes() const noexcept { return warm_.mapped_bytes(); }
  uint64_t waiting_bytes() const noexcept { return warm_.waiting_bytes(); }

 private:
  static constexpr size_t kLargestWiped = 2 << 20;  // bigger zeroed blocks get fresh pages

  Span* span_of(const void* p) const noexcept;
  Span* fresh_span(size_t bytes) noexcept;
  void unmap(Span* span) noexcept { ring_.unmap(span, span->bytes); }
  void* place(Span* span, size_t n, size_t alignment) noexcept;
  void* grow(Span* span, void* p, size_t bytes) noexcept;

  AddressRing ring_;
  WarmSpans warm_;
  std::atomic<uint32_t> turn_{0};  // of the colours; relaxed
};

extern constinit Territory g_territory __attribute__((visibility("hidden")));
inline Territory& territory() noexcept { return g_territory; }

}  // namespace tenure::inproc
