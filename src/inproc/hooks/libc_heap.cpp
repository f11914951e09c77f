// inproc/hooks/libc_heap.cpp: malloc and its family.
// World: inside, on the program's hottest path. A small malloc costs one compare and one subtraction on thread-local
// memory, a small free one load of the chunk header that libc is about to load anyway; both end in a jump to libc.
// Without frame pointers, whatever the build says: the jump would have to undo them first.
#pragma GCC optimize("O2", "omit-frame-pointer", "optimize-sibling-calls")
#include <errno.h>
#include <string.h>

#include "inproc/accounting/accounting.h"
#include "inproc/accounting/gate.h"
#include "inproc/boot/guard_errors.h"
#include "inproc/hooks/counted_heap.h"
#include "inproc/hooks/real.h"
#include "inproc/territory/territory.h"

#define EXPORTED extern "C" __attribute__((visibility("default")))
#define CALLER reinterpret_cast<uintptr_t>(__builtin_return_address(0))
#define LIKELY(x) __builtin_expect(x, 1)

using namespace tenure::inproc;
using tenure::ledger::BlockKind;

namespace {

// Sampled blocks are made big enough that their size gives them away when they are freed.
size_t sampled_size(size_t n) noexcept {
  bool is_told_by_size = real().size_of_block != SizeOfBlock::unknown;
  return is_told_by_size && n < kExactThreshold ? kExactThreshold : n;
}

bool may_be_tracked_elsewhere(void* p) noexcept {
  return real().size_of_block == SizeOfBlock::unknown ||
         real().malloc_usable_size(p) >= kExactThreshold;
}

// Blocks whose chunk is smaller were never tracked.
bool is_small_chunk(void* p) noexcept {
  size_t chunk;
  memcpy(&chunk, static_cast<char*>(p) - sizeof chunk, sizeof chunk);
  return chunk <= kExactThreshold;
}

// Until `g_real` is resolved nothing is known to be glibc's.
bool has_chunk_header() noexcept { return g_real.size_of_block == SizeOfBlock::in_chunk_header; }

bool may_be_tracked(void* p) noexcept {
  if (territory().slots().holds(p)) return head_of(p).is_noted;
  return LIKELY(has_chunk_header()) ? !is_small_chunk(p) : may_be_tracked_elsewhere(p);
}

// ---- the heap behind the hooks: the territory for big blocks, libc for the others and where the territory declines ----

constexpr size_t kAnyAlignment = 16;

void* make(size_t n) noexcept {
  void* p = territory().allocate(n, kAnyAlignment, false);
  return p ? p : real().malloc(n);
}

void* make_zeroed(size_t n) noexcept {
  void* p = territory().allocate(n, kAnyAlignment, true);
  return p ? p : real().calloc(1, n);
}

// `ask_libc` does so in the way of the caller.
template <class AskLibc>
void* make_aligned(size_t n, size_t alignment, AskLibc ask_libc) noexcept {
  bool is_valid = __builtin_popcountl(alignment) == 1;
  void* p = is_valid ? territory().allocate(n, alignment, false) : nullptr;
  return p ? p : ask_libc(n);
}

void give_back(void* p) noexcept {
  if (territory().owns(p)) return territory().release(p);
  if (const BlockHead* head = territory().released_at(p))
    tell_second_free(head->requested, accounting().stack_here());
  real().free(p);
}

// What grows once will grow again: it gets a quarter more, within the sizes where that is little.
void* make_with_room(size_t n) noexcept {
  bool has_slot = n + n / 4 < Territory::kSpansFrom;
  void* p = territory().allocate_to_grow(has_slot ? n + n / 4 : n);
  if (!p) return real().malloc(n);
  territory().set_requested(p, n);
  return p;
}

// Between the two heaps, or within the territory where whole pages cannot move. nullptr: `old` stays as it was.
void* copied(void* old, size_t old_bytes, size_t n) noexcept {
  void* p = n > old_bytes ? make_with_room(n) : make(n);
  if (!p) return nullptr;
  memcpy(p, old, old_bytes < n ? old_bytes : n);
  give_back(old);
  return p;
}

// Nobody expects that less is refused: without another place the block shrinks where it is.
void* remake_ours(void* old, size_t n) noexcept {
  if (n == 0) return give_back(old), nullptr;
  if (void* p = territory().resize(old, n)) return p;
  const int before = errno;
  const size_t had = territory().usable(old);
  void* p = copied(old, had, n);
  if (p || n > had) return p;
  territory().shrink(old, n);
  errno = before;
  return old;
}

void* remake(void* old, size_t n) noexcept {
  if (territory().owns(old)) return remake_ours(old, n);
  bool grows_into_territory = n >= Territory::kFrom && territory().is_on();
  void* p = grows_into_territory ? copied(old, real().malloc_usable_size(old), n) : nullptr;
  return p ? p : real().realloc(old, n);
}

// A region that an allocator of a framework takes to cut it up: aligned and big, unlike what it keeps its books in. These
// are no memory in use either, but no tensor lies in them.
constexpr size_t kSmallestRegion = 1 << 20;
bool is_pool_region(const void* p, size_t n) noexcept {
  return g_thread.is_in_pool && n >= kSmallestRegion && reinterpret_cast<uintptr_t>(p) % 64 == 0;
}

// Slow path of every allocation: `make_block(size)` asks the heap; the answer is recorded after the fact. Only after
// passes_unseen(n) said no, since whether a small block is a sample follows from the count that it keeps.
template <class Make>
__attribute__((noinline)) void* observed(size_t n, uintptr_t caller, Make make_block,
                                         bool is_resize = false) noexcept {
  bool exact = is_exact(n);
  bool sampled = !exact && accounting().is_sampled(n);
  void* p = make_block(sampled ? sampled_size(n) : n);
  if (sampled && territory().owns(p)) territory().set_requested(p, n);
  if (p && exact && is_pool_region(p, n))
    accounting().region_born(p, n, caller);
  else if (p && exact)
    accounting().born(p, n, g_thread.is_in_pool ? BlockKind::pool_region : BlockKind::heap, caller,
                      is_resize);
  else if (p && sampled)
    accounting().born(p, n, BlockKind::small_heap, caller, is_resize);
  else if (!p && n && errno == ENOMEM)
    accounting().refused(n, caller);
  return p;
}

// The same for callers that do not know yet whether the block has to be seen.
template <class Make>
void* made(size_t n, uintptr_t caller, Make make_block) noexcept {
  return passes_unseen(n) ? make_block(n) : observed(n, caller, make_block);
}

void* resized(void* old, size_t n, uintptr_t caller) noexcept {
  LiveBlock was{};
  bool tracked = may_be_tracked(old) && accounting().ended(old, &was);
  auto remake_old = [old](size_t size) { return remake(old, size); };
  void* p = n == 0 || passes_unseen(n) ? remake_old(n) : observed(n, caller, remake_old, tracked);
  if (!p && n && tracked)
    accounting().born(old, was.bytes, static_cast<BlockKind>(was.kind), caller, true);
  return p;
}

__attribute__((noinline)) void free_observed(void* p) noexcept {
  if (p && may_be_tracked(p)) accounting().ended(p);
  give_back(p);
}

// Counted whatever its size is, and big enough that its end is noticed.
void* make_counted(size_t n, bool is_zeroed, uintptr_t caller) noexcept {
  size_t size = sampled_size(n);
  void* p = is_zeroed ? make_zeroed(size) : make(size);
  if (p && territory().owns(p)) territory().set_requested(p, n);
  if (p) accounting().born(p, n, BlockKind::heap, caller);
  return p;
}

// nullptr: `old` stays as it was.
void* remake_counted(void* old, size_t n, uintptr_t caller) noexcept {
  void* p = make_counted(n, false, caller);
  if (!p || !old) return p;
  size_t had = malloc_usable_size(old);
  memcpy(p, old, had < n ? had : n);
  free_observed(old);
  return p;
}

}  // namespace

namespace tenure::inproc {

CountedHeap counted_heap() noexcept { return {&make_counted, &remake_counted, &free_observed}; }

}  // namespace tenure::inproc

EXPORTED void* malloc(size_t n) {
  if (LIKELY(passes_unseen(n))) return LIKELY(n < Territory::kFrom) ? g_real.malloc(n) : make(n);
  return observed(n, CALLER, make);
}

EXPORTED void free(void* p) {
  if (LIKELY(p && has_chunk_header() && is_small_chunk(p))) return g_real.free(p);
  free_observed(p);
}

// The sizes are the caller's word for what the block knows itself.
EXPORTED void free_sized(void* p, size_t) noexcept { free(p); }
EXPORTED void free_aligned_sized(void* p, size_t, size_t) noexcept { free(p); }

EXPORTED void* calloc(size_t count, size_t size) {
  size_t n;
  if (__builtin_mul_overflow(count, size, &n)) return real().calloc(count, size);
  if (LIKELY(passes_unseen(n)))
    return LIKELY(n < Territory::kFrom) ? g_real.calloc(count, size) : make_zeroed(n);
  return observed(n, CALLER, make_zeroed);
}

EXPORTED void* realloc(void* old, size_t n) {
  return old ? resized(old, n, CALLER) : made(n, CALLER, make);
}

EXPORTED void* reallocarray(void* old, size_t count, size_t size) {
  size_t n;
  if (__builtin_mul_overflow(count, size, &n)) return real().reallocarray(old, count, size);
  return old ? resized(old, n, CALLER) : made(n, CALLER, make);
}

EXPORTED void* memalign(size_t alignment, size_t n) {
  return made(n, CALLER, [alignment](size_t size) {
    return make_aligned(size, alignment, [=](size_t b) { return real().memalign(alignment, b); });
  });
}

EXPORTED void* aligned_alloc(size_t alignment, size_t n) {
  return made(n, CALLER, [alignment](size_t size) {
    return make_aligned(size, alignment,
                        [=](size_t b) { return real().aligned_alloc(alignment, b); });
  });
}

EXPORTED int posix_memalign(void** out, size_t alignment, size_t n) {
  bool is_valid = alignment % sizeof(void*) == 0 && __builtin_popcountl(alignment) == 1;
  if (!is_valid) return real().posix_memalign(out, alignment, n);
  int result = ENOMEM;
  auto ask_libc = [&](size_t size) -> void* {
    void* p = nullptr;
    result = real().posix_memalign(&p, alignment, size);
    return p;
  };
  void* p = made(n, CALLER, [&](size_t size) { return make_aligned(size, alignment, ask_libc); });
  if (!p) return result;
  *out = p;
  return 0;
}

EXPORTED void* valloc(size_t n) {
  if (passes_unseen(n)) return real().valloc(n);
  return observed(n, CALLER, [](size_t size) { return real().valloc(size); });
}

EXPORTED void* pvalloc(size_t n) {
  if (passes_unseen(n)) return real().pvalloc(n);
  return observed(n, CALLER, [](size_t size) { return real().pvalloc(size); });
}

// The program wants its memory given back: ours as well.
EXPORTED int malloc_trim(size_t pad) {
  int has_gone = territory().trim();
  return real().malloc_trim(pad) | has_gone;
}

// A sampled block is bigger than the program would have found it without us.
EXPORTED size_t malloc_usable_size(void* p) {
  if (territory().owns(p)) return territory().usable(p);
  size_t usable = real().malloc_usable_size(p);
  if (usable < kExactThreshold || real().size_of_block != SizeOfBlock::in_chunk_header)
    return usable;
  LiveBlock block;
  bool is_sample =
      accounting().find(p, &block) && static_cast<BlockKind>(block.kind) == BlockKind::small_heap;
  return is_sample && usable_bytes(block.bytes) < usable ? usable_bytes(block.bytes) : usable;
}
