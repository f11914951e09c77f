#include "inproc/hooks/deep_bind.h"

#include <link.h>

#include <atomic>

#include "inproc/hooks/real.h"
#include "inproc/hooks/slots.h"
#include "inproc/os/elf_symbols.h"

namespace tenure::inproc {
namespace {

std::atomic<bool> g_is_used{false};  // relaxed: the opener itself looks after its dlopen
std::atomic<unsigned long long> g_seen{
    0};  // libraries loaded so far, when we last looked. Relaxed: a count

int count_loaded(dl_phdr_info* info, size_t, void* out) noexcept {
  *static_cast<unsigned long long*>(out) = info->dlpi_adds;
  return 1;
}

}  // namespace

void note_deep_binding() noexcept { g_is_used.store(true, std::memory_order_relaxed); }

void begin_binding() noexcept {
  remember_slots();
  note_deep_binding();
  bind_new_libraries();
}

void end_binding() noexcept {
  g_is_used.store(false, std::memory_order_relaxed);
  g_seen.store(0, std::memory_order_relaxed);
  give_slots_back();
}

void bind_new_libraries() noexcept {
  if (__builtin_expect(!g_is_used.load(std::memory_order_relaxed), 1)) return;
  if (!is_first_malloc() && !is_loaded_late()) return;
  unsigned long long loaded = 0;
  dl_iterate_phdr(&count_loaded, &loaded);
  if (g_seen.exchange(loaded, std::memory_order_relaxed) != loaded) bind_all_libraries();
}

}  // namespace tenure::inproc
