// inproc/hooks/library.cpp: the preloaded library's own beginning and end.
#include "inproc/accounting/metered_part.h"
#include "inproc/boot/environment.h"
#include "inproc/boot/start.h"
#include "inproc/hooks/counted_heap.h"
#include "inproc/hooks/guard.h"
#include "inproc/hooks/own_heap.h"
#include "inproc/hooks/real.h"
#include "inproc/os/elf_symbols.h"

namespace {

using namespace tenure::inproc;

__attribute__((constructor(101))) void begin() {
  (void)real();
  if (is_loaded_late()) return open_gate_if_shut();  // `tenure attach` calls us when it is ready
  MeteredPart metered;
  if (!is_first_malloc()) accounting().add_fact("heap", "off: the program brings its own malloc");
  if (is_first_malloc()) set_counted_heap(counted_heap());
  if (start_in_process()) {
    if (wants_territory()) start_own_heap();
    if (wants_guard()) start_guard();
  }
  open_gate_if_shut();
}

// Only an orderly exit comes here; a killed process leaves the state at `running`.
__attribute__((destructor(101))) void end() {
  MeteredPart metered;
  accounting().mark(tenure::ledger::ProcessState::exited);
}

}  // namespace
