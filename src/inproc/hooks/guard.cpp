#include "inproc/hooks/guard.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "inproc/accounting/accounting.h"
#include "inproc/accounting/thread_state.h"
#include "inproc/boot/guard_errors.h"
#include "inproc/guard/guarded_heap.h"
#include "inproc/hooks/real.h"
#include "inproc/os/files.h"
#include "inproc/os/memory.h"

namespace tenure::inproc {
namespace {

constexpr size_t kAnyAlignment = 16;
constexpr uint32_t kUsualMappings = 65530;  // vm.max_map_count where nobody changed it

// Something that is not guarded from now on, told once.
class Gap {
 public:
  constexpr Gap(const char* name, const char* words) noexcept : name_(name), words_(words) {}
  void tell() noexcept {
    if (g_thread.is_busy || is_told_.load(std::memory_order_relaxed)) return;
    if (!is_told_.exchange(true, std::memory_order_relaxed)) accounting().add_fact(name_, words_);
  }

 private:
  const char *name_, *words_;
  std::atomic<bool> is_told_{false};
};
constinit Gap g_small_gap("guard.small",
                          "of the many blocks under 1 KiB only one in 16 is guarded");
constinit Gap g_full_gap("guard.live",
                         "so many blocks live at once that this system has no mapping for each; "
                         "later ones are not guarded");
constinit Gap g_place_gap("guard.place",
                          "some blocks were too large, or found no free addresses; they are not "
                          "guarded");

// nullptr: the block is libc's affair.
void* guarded(size_t n, size_t alignment) noexcept {
  GuardedHeap& heap = guarded_heap();
  ErrnoKeeper keep;
  if (!heap.wants(n)) return g_small_gap.tell(), nullptr;
  if (heap.is_full()) return g_full_gap.tell(), nullptr;
  void* p = heap.allocate(n, alignment, accounting().stack_here());
  if (!p) g_place_gap.tell();
  return p;
}

void* make(size_t n) noexcept {
  void* p = guarded(n, kAnyAlignment);
  return p ? p : resolved().malloc(n);
}

void* make_zeroed(size_t count, size_t size) noexcept {
  size_t n;
  void* p = __builtin_mul_overflow(count, size, &n) ? nullptr : guarded(n, kAnyAlignment);
  return p ? p : resolved().calloc(count, size);
}

void* guarded_at(size_t alignment, size_t n) noexcept {
  bool is_valid = __builtin_popcountl(alignment) == 1 && alignment >= kAnyAlignment;
  return is_valid ? guarded(n, alignment) : nullptr;
}

void* make_aligned(size_t alignment, size_t n) noexcept {
  void* p = guarded_at(alignment, n);
  return p ? p : resolved().memalign(alignment, n);
}

void* make_aligned_by_standard(size_t alignment, size_t n) noexcept {
  void* p = guarded_at(alignment, n);
  return p ? p : resolved().aligned_alloc(alignment, n);
}

int make_aligned_at(void** out, size_t alignment, size_t n) noexcept {
  void* p = guarded_at(alignment, n);
  if (!p) return resolved().posix_memalign(out, alignment, n);
  *out = p;
  return 0;
}

// glibc ends the program as well where it notices a second free.
void give_back(void* p) noexcept {
  GuardedHeap& heap = guarded_heap();
  if (!p || !heap.holds(p)) return resolved().free(p);
  ErrnoKeeper keep;
  GuardedBlock block;
  const bool is_known = heap.find(reinterpret_cast<uintptr_t>(p), &block);
  const KnownStack here = accounting().stack_here();
  switch (heap.release(p, here)) {
    case Release::done:
      return;
    case Release::overrun:
      if (is_known) tell_overrun(block, here);
      return;
    case Release::again:
      if (is_known) tell_double_free(block, here);
      abort();
    case Release::unknown:
      return resolved().free(p);
  }
}

size_t usable(void* p) noexcept {
  return guarded_heap().holds(p) ? guarded_heap().usable(p) : resolved().malloc_usable_size(p);
}

// Always to another place: who kept the old address is found out.
void* remake(void* old, size_t n) noexcept {
  if (!old) return make(n);
  const bool is_ours = guarded_heap().holds(old);
  if (!is_ours && n < GuardedHeap::kAllFrom) return resolved().realloc(old, n);
  if (n == 0) return give_back(old), nullptr;
  void* p = make(n);
  if (!p) return nullptr;
  const size_t had = usable(old);
  memcpy(p, old, had < n ? had : n);
  give_back(old);
  return p;
}

void* remake_array(void* old, size_t count, size_t size) noexcept {
  size_t n;
  if (!__builtin_mul_overflow(count, size, &n)) return remake(old, n);
  errno = ENOMEM;
  return nullptr;
}

uint32_t most_mappings() noexcept {
  char text[32];
  uint32_t length = read_file("/proc/sys/vm/max_map_count", text, sizeof text - 1);
  text[length] = '\0';
  long most = atol(text);
  return most > 0 && most < UINT32_MAX ? static_cast<uint32_t>(most) : kUsualMappings;
}

const char* why_not() noexcept {
  if (!is_first_malloc()) return "off: the program brings its own malloc; no block is guarded";
  if (real().size_of_block != SizeOfBlock::in_chunk_header)
    return "off: another heap than glibc's is preloaded; no block is guarded";
  // Each live block takes a mapping of its own. The program needs some too.
  return guarded_heap().start({random_base(), kGuardedRing, most_mappings() / 2})
             ? nullptr
             : "off: its addresses are not free here; no block is guarded";
}

}  // namespace

// Below the hooks everything looks like another libc, whose blocks do not tell their size: then a sampled block is no larger
// than was asked for, and what lies behind its end is found out.
void start_guard() noexcept {
  const char* reason = why_not();
  accounting().add_fact("guard", reason ? reason : "on");
  if (reason) return;
  g_real.malloc = &make;
  g_real.calloc = &make_zeroed;
  g_real.realloc = &remake;
  g_real.reallocarray = &remake_array;
  g_real.memalign = &make_aligned;
  g_real.aligned_alloc = &make_aligned_by_standard;
  g_real.posix_memalign = &make_aligned_at;
  g_real.free = &give_back;
  g_real.malloc_usable_size = &usable;
  g_real.size_of_block = SizeOfBlock::unknown;
  watch_faults();
}

}  // namespace tenure::inproc
