// inproc/os/fork_gate.h: keeps the program's own forks and a snapshot that keeps pages out of its copy apart.
// World: inside. Any thread, signal handlers and at-fork handlers too: a program's fork waits for a snapshot's, which takes
// milliseconds with all signals held back; a snapshot never waits, it only learns that it is not alone.
#pragma once
#include <atomic>

#include "inproc/os/spin_lock.h"

namespace tenure::inproc {

// Sequentially consistent: each side writes its own and then reads the other's.
struct ForkGate {
  std::atomic<uint32_t> forks{0};     // of the program, under way
  std::atomic<bool> is_taken{false};  // by a snapshot
};
inline constinit ForkGate g_fork_gate;

class ProgramFork {
 public:
  ProgramFork() noexcept {
    while (g_fork_gate.forks.fetch_add(1), g_fork_gate.is_taken.load()) {
      g_fork_gate.forks.fetch_sub(1);
      while (g_fork_gate.is_taken.load()) sched_yield();
    }
  }
  ~ProgramFork() {
    if (!is_child_) g_fork_gate.forks.fetch_sub(1);
  }
  ProgramFork(const ProgramFork&) = delete;
  ProgramFork& operator=(const ProgramFork&) = delete;

  void arrive_in_child() noexcept {  // the other threads, and what they were doing, are not here
    is_child_ = true;
    g_fork_gate.forks.store(0);
    g_fork_gate.is_taken.store(false);
  }

 private:
  bool is_child_ = false;
};

class SnapshotFork {
 public:
  SnapshotFork() noexcept { g_fork_gate.is_taken.store(true); }
  ~SnapshotFork() { g_fork_gate.is_taken.store(false); }
  SnapshotFork(const SnapshotFork&) = delete;
  SnapshotFork& operator=(const SnapshotFork&) = delete;

  // No fork of the program is under way, and none begins.
  bool is_alone() const noexcept { return g_fork_gate.forks.load() == 0; }
};

}  // namespace tenure::inproc
