#include "inproc/accounting/thread_state.h"

#include <pthread.h>

#include "inproc/os/memory.h"

namespace tenure::inproc {

thread_local constinit ThreadState g_thread{};

namespace {

constexpr size_t kMemoryBytes = ledger::align_up(sizeof(ThreadMemory), ledger::kPage);
pthread_key_t g_key;
std::atomic<uint8_t> g_key_state{0};  // 0 not made, 1 ready, 2 none to be had

void release(void* memory) noexcept {
  g_thread.memory = nullptr;
  g_thread.is_gone = true;
  unmap_pages(memory, kMemoryBytes);
}

bool key_ready() noexcept {
  uint8_t state = g_key_state.load(std::memory_order_acquire);
  if (state == 0) {
    static std::atomic<uint8_t> lock{0};
    SpinGuard guard(lock);
    if (g_key_state.load(std::memory_order_relaxed) == 0) {
      bool made = pthread_key_create(&g_key, release) == 0;
      g_key_state.store(made ? 1 : 2, std::memory_order_release);
    }
    state = g_key_state.load(std::memory_order_relaxed);
  }
  return state == 1;
}

}  // namespace

ThreadMemory* make_thread_memory() noexcept {
  if (g_thread.is_gone) return nullptr;
  auto* memory = static_cast<ThreadMemory*>(map_pages(kMemoryBytes));
  if (!memory) return nullptr;
  g_thread.memory = memory;
  // Without a key the memory stays until the process ends: a few pages per thread.
  if (key_ready()) pthread_setspecific(g_key, memory);
  return memory;
}

}  // namespace tenure::inproc
