// Preloaded into a training program: writes down what it asks malloc for between record_traffic(1) and
// record_traffic(0).
// One thread at a time; the file is named by TRAFFIC.
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
void __libc_free(void*);
}

namespace {

struct Event {
  void* p;
  size_t bytes;  // 0: freed
};
constexpr size_t kMost = 1 << 20;
Event g_events[kMost];
std::atomic<size_t> g_used = 0;
std::atomic<bool> g_is_recording = false;

void* note(void* p, size_t bytes) {
  if (p && g_is_recording.load(std::memory_order_relaxed)) {
    size_t at = g_used.fetch_add(1, std::memory_order_relaxed);
    if (at < kMost) g_events[at] = {p, bytes};
  }
  return p;
}

}  // namespace

extern "C" {

void* malloc(size_t n) { return note(__libc_malloc(n), n); }
void* calloc(size_t count, size_t n) { return note(__libc_calloc(count, n), count * n); }
void* memalign(size_t alignment, size_t n) { return note(__libc_memalign(alignment, n), n); }
void* aligned_alloc(size_t alignment, size_t n) { return note(__libc_memalign(alignment, n), n); }
int posix_memalign(void** out, size_t alignment, size_t n) {
  *out = note(__libc_memalign(alignment, n), n);
  return *out ? 0 : 12;
}
void free(void* p) {
  note(p, 0);
  __libc_free(p);
}
void* realloc(void* p, size_t n) {
  note(p, 0);
  return note(__libc_realloc(p, n), n);
}

void record_traffic(int is_on) {
  g_is_recording = is_on != 0;
  if (is_on) return;
  std::FILE* file = std::fopen(std::getenv("TRAFFIC"), "w");
  for (size_t i = 0; i < g_used && i < kMost; ++i)
    std::fprintf(file, "%p %zu\n", g_events[i].p, g_events[i].bytes);
  std::fclose(file);
}
}
