#include "inproc/boot/start.h"

#include "inproc/accounting/accounting.h"
#include "inproc/boot/environment.h"
#include "inproc/boot/python_boot.h"
#include "inproc/boot/snapshot_calls.h"
#include "inproc/boot/supervisor_link.h"
#include "inproc/os/elf_symbols.h"

namespace tenure::inproc {
namespace {

std::atomic<bool> g_look_again{false};  // relaxed: a late look does no harm
std::atomic<uintptr_t> g_python_start{0}, g_python_end{0};

void find_python() noexcept {
  accounting().python_arrived();
  void* function = find_symbol("Py_IsInitialized");
  ObjectInfo object{};
  if (!function || !object_of(reinterpret_cast<uintptr_t>(function), &object)) return;
  g_python_start.store(object.start, std::memory_order_relaxed);
  g_python_end.store(object.end, std::memory_order_relaxed);
  accounting().add_fact("interpreter", *object.path ? object.path : "program");
}

// Runs after births until Python has been started and the adapters are queued.
void watch_for_python() noexcept {
  if (accounting().python().state() == ReaderState::absent) {
    // Read first: nearly always there is nothing new, and an exchange locks the cache line at each birth.
    if (!g_look_again.load(std::memory_order_relaxed)) return;
    g_look_again.store(false, std::memory_order_relaxed);
    find_python();
    if (accounting().python().state() == ReaderState::absent) return;
  }
  if (queue_python_boot()) accounting().drop_watch(&watch_for_python);
}

}  // namespace

bool start_in_process() noexcept {
  if (!find_supervisor()) return false;
  remember_environment();
  find_python();
  accounting().set_watch(&watch_for_python);
  accounting().start(&join_supervisor, is_main_process());
  return true;
}

bool start_attached(const char* socket) noexcept {
  if (!find_supervisor_at(socket)) return false;
  find_python();
  accounting().set_watch(&watch_for_python);
  accounting().start(&join_supervisor, true);
  if (!accounting().is_on()) {
    accounting().stop();
    return false;
  }
  resume_snapshots();  // if there was an attachment before
  return true;
}

void note_library_change() noexcept { g_look_again.store(true, std::memory_order_relaxed); }

bool is_python_interpreter(uintptr_t address) noexcept {
  return address >= g_python_start.load(std::memory_order_relaxed) &&
         address < g_python_end.load(std::memory_order_relaxed);
}

}  // namespace tenure::inproc
