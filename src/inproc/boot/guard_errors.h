// inproc/boot/guard_errors.h: what the guarded heap found out, as lifetime errors of the ledger: made where, freed where, used where.
// World: inside. Any thread, signal handlers of a bad access too: nothing here waits or allocates.
#pragma once
#include "inproc/guard/guarded_heap.h"
#include "inproc/stacks/native_frames.h"

namespace tenure::inproc {

// A bad access at `address`, and what the thread did then.
struct Fault {
  uintptr_t address;
  NativeRegisters registers;
  bool is_write;
};

// True: it was an address of a guarded block, and the error is told.
bool tell_fault(const Fault& fault) noexcept;

void tell_double_free(const GuardedBlock& block, KnownStack second) noexcept;

// The same without a guard: the block's own lines are not known any more.
void tell_second_free(size_t bytes, KnownStack second) noexcept;

// Bytes behind its end were found changed when it was freed.
void tell_overrun(const GuardedBlock& block, KnownStack freed) noexcept;

}  // namespace tenure::inproc
