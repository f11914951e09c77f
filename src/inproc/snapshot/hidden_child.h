// inproc/snapshot/hidden_child.h: a forked copy of the process that the program cannot notice: no SIGCHLD, nothing for
// its waitpid(), no at-fork handler, no descriptor, never a zombie of its own.
// World: inside. The caller's thread stops until the copy has been made, with all signals held back.
//
// Two steps: a middle child that shares our memory (as vfork's) opens what has to be opened, makes the copy and ends. So
// page tables are copied once, the program's descriptors stay untouched, and the copy belongs to init.
#pragma once
#include <cstdint>

namespace tenure::inproc {

// Holds all signals back, so that no handler of the program runs in between.
class HeldSignals {
 public:
  HeldSignals() noexcept;
  ~HeldSignals();
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

 private:
  uint64_t before_ = 0;
};

struct HiddenWork {
  // In the middle child: own descriptors, the parent's memory. The descriptor the copy keeps, or -1: make no copy.
  int (*open)(void* context) noexcept;
  // In the copy, with nothing open but `fd`. The heap must not be used: another thread may have held its locks.
  void (*run)(void* context, int fd) noexcept;
  void* context;
  bool is_idle = false;  // the copy only takes what nobody else wants of the machine
};

// Takes the little memory that run_hidden() needs, for the day when there is none left. With the GIL, as run_hidden().
bool reserve_hidden_stack() noexcept;

// False: there is no copy. `held` is the proof that no signal can come in between.
// Adds the processor time that the kernel took to make it.
bool run_hidden(const HeldSignals& held, const HiddenWork& work, uint64_t* spent_ns) noexcept;

}  // namespace tenure::inproc
