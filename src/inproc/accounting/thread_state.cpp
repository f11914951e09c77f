#include "inproc/accounting/thread_state.h"

#include "inproc/os/memory.h"
#include "inproc/os/thread_end.h"
#include "inproc/stacks/waiting_python.h"

namespace tenure::inproc {

thread_local constinit ThreadState g_thread{};

namespace {

constexpr size_t kMemoryBytes = ledger::align_up(sizeof(ThreadMemory), ledger::kPage);
void release(void* memory) noexcept {
  g_thread.memory = nullptr;
  g_thread.is_gone = true;
  g_python_threads.remove();
  unmap_pages(memory, kMemoryBytes);
}

constinit ThreadEnd g_at_end(&release);

}  // namespace

ThreadMemory* make_thread_memory() noexcept {
  if (g_thread.is_gone) return nullptr;
  auto* memory = static_cast<ThreadMemory*>(map_pages(kMemoryBytes));
  if (!memory) return nullptr;
  g_thread.memory = memory;
  // Without a key the memory stays until the process ends: a few pages per thread.
  g_at_end.set(memory);
  return memory;
}

}  // namespace tenure::inproc
