// inproc/hooks/libc_heap.cpp: malloc and its family.
// World: inside, on the program's hottest path. A small malloc costs one subtraction on thread-local memory, a small
// free one load of the chunk header that libc is about to load anyway.
#include <errno.h>
#include <string.h>

#include "inproc/accounting/accounting.h"
#include "inproc/accounting/thread_state.h"
#include "inproc/hooks/real.h"

#define EXPORTED extern "C" __attribute__((visibility("default")))
#define CALLER reinterpret_cast<uintptr_t>(__builtin_return_address(0))

using namespace tenure::inproc;
using tenure::ledger::BlockKind;

namespace {

bool is_exact(size_t n) noexcept { return n >= accounting().threshold(); }

// True when the fast path is enough: nothing of this block has to be known.
bool passes_unseen(size_t n) noexcept {
  return !is_exact(n) && (g_thread.bytes_until_sample -= static_cast<int64_t>(n)) >= 0;
}

// Sampled blocks are made big enough that their chunk size gives them away when they are freed.
size_t sampled_size(size_t n) noexcept { return n < kExactThreshold ? kExactThreshold : n; }

bool may_be_tracked_elsewhere(void* p) noexcept {
  return real().size_of_block == SizeOfBlock::unknown ||
         real().malloc_usable_size(p) >= kExactThreshold;
}

// Blocks whose chunk is smaller were never tracked.
bool may_be_tracked(void* p) noexcept {
  if (__builtin_expect(real().size_of_block != SizeOfBlock::in_chunk_header, 0))
    return may_be_tracked_elsewhere(p);
  size_t chunk;
  memcpy(&chunk, static_cast<char*>(p) - sizeof chunk, sizeof chunk);
  return chunk > kExactThreshold;
}

// What glibc lets a block of `n` bytes use when it is not made bigger for our sake.
size_t natural_size(size_t n) noexcept {
  constexpr size_t kHeader = sizeof(size_t), kGrain = 16, kSmallest = 32;
  size_t chunk = (n + kHeader + kGrain - 1) / kGrain * kGrain;
  return (chunk < kSmallest ? kSmallest : chunk) - kHeader;
}

// Slow path of every allocation: `make(size)` asks libc; the answer is recorded after the fact. Only after
// passes_unseen(n) said no, since whether a small block is a sample follows from the count that it keeps.
template <class Make>
void* observed(size_t n, uintptr_t caller, Make make, bool is_resize = false) noexcept {
  bool exact = is_exact(n);
  bool sampled = !exact && accounting().is_sampled(n);
  void* p = make(sampled ? sampled_size(n) : n);
  if (p && exact)
    accounting().born(p, n, BlockKind::heap, caller, is_resize);
  else if (p && sampled)
    accounting().born(p, n, BlockKind::small_heap, caller, is_resize);
  else if (!p && n && errno == ENOMEM)
    accounting().refused(n, caller);
  return p;
}

void* resized(void* old, size_t n, uintptr_t caller) noexcept {
  LiveBlock was{};
  bool tracked = may_be_tracked(old) && accounting().ended(old, &was);
  auto make = [old](size_t size) { return real().realloc(old, size); };
  void* p = n == 0 || passes_unseen(n) ? make(n) : observed(n, caller, make, tracked);
  if (!p && n && tracked)
    accounting().born(old, was.bytes, static_cast<BlockKind>(was.kind), caller, true);
  return p;
}

}  // namespace

EXPORTED void* malloc(size_t n) {
  if (__builtin_expect(passes_unseen(n), 1)) return real().malloc(n);
  return observed(n, CALLER, [](size_t size) { return real().malloc(size); });
}

EXPORTED void free(void* p) {
  if (p && __builtin_expect(may_be_tracked(p), 0)) accounting().ended(p);
  real().free(p);
}

EXPORTED void* calloc(size_t count, size_t size) {
  size_t n;
  if (__builtin_mul_overflow(count, size, &n) || passes_unseen(n))
    return real().calloc(count, size);
  return observed(n, CALLER, [](size_t bytes) { return real().calloc(1, bytes); });
}

EXPORTED void* realloc(void* old, size_t n) {
  if (old) return resized(old, n, CALLER);
  if (passes_unseen(n)) return real().realloc(old, n);
  return observed(n, CALLER, [](size_t size) { return real().malloc(size); });
}

EXPORTED void* reallocarray(void* old, size_t count, size_t size) {
  size_t n;
  if (__builtin_mul_overflow(count, size, &n)) return real().reallocarray(old, count, size);
  if (old) return resized(old, n, CALLER);
  if (passes_unseen(n)) return real().reallocarray(old, count, size);
  return observed(n, CALLER, [](size_t bytes) { return real().malloc(bytes); });
}

EXPORTED void* memalign(size_t alignment, size_t n) {
  if (passes_unseen(n)) return real().memalign(alignment, n);
  return observed(n, CALLER, [alignment](size_t size) { return real().memalign(alignment, size); });
}

EXPORTED void* aligned_alloc(size_t alignment, size_t n) {
  if (passes_unseen(n)) return real().aligned_alloc(alignment, n);
  return observed(n, CALLER,
                  [alignment](size_t size) { return real().aligned_alloc(alignment, size); });
}

EXPORTED int posix_memalign(void** out, size_t alignment, size_t n) {
  bool is_valid = alignment % sizeof(void*) == 0 && __builtin_popcountl(alignment) == 1;
  if (!is_valid || passes_unseen(n)) return real().posix_memalign(out, alignment, n);
  int result = ENOMEM;
  observed(n, CALLER, [&](size_t size) -> void* {
    void* p = nullptr;
    result = real().posix_memalign(&p, alignment, size);
    if (result == 0) *out = p;
    return p;
  });
  return result;
}

EXPORTED void* valloc(size_t n) {
  if (passes_unseen(n)) return real().valloc(n);
  return observed(n, CALLER, [](size_t size) { return real().valloc(size); });
}

EXPORTED void* pvalloc(size_t n) {
  if (passes_unseen(n)) return real().pvalloc(n);
  return observed(n, CALLER, [](size_t size) { return real().pvalloc(size); });
}

// A sampled block is bigger than the program would have found it without us.
EXPORTED size_t malloc_usable_size(void* p) {
  size_t usable = real().malloc_usable_size(p);
  if (usable < kExactThreshold || real().size_of_block != SizeOfBlock::in_chunk_header)
    return usable;
  LiveBlock block;
  bool is_sample =
      accounting().find(p, &block) && static_cast<BlockKind>(block.kind) == BlockKind::small_heap;
  return is_sample && natural_size(block.bytes) < usable ? natural_size(block.bytes) : usable;
}
