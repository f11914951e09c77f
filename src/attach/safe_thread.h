// attach/safe_thread.h: a thread of a running process that may be made to call dlopen: it holds no lock of libc's heap or loader,
// and is not in the middle of changing what these keep.
// World: beside the program.
#pragma once
#include <memory>
#include <vector>

#include "attach/target_memory.h"
#include "attach/tracee.h"

namespace tenure::attach {

// What must be known of a process before a thread of it is stopped.
class CodeMap {
 public:
  CodeMap(int pid, const TargetMemory& memory);

  const std::vector<LoadedFile>& files() const { return files_; }
  const LoadedFile* libc() const;
  const Gadgets& gadgets() const { return gadgets_; }
  bool has_gadgets() const { return gadgets_.system_call && gadgets_.trap; }

  // An exported function of libc's own files: libc, and where it is old libdl. 0: there is none.
  uint64_t find(const char* name) const;

  // Whether the thread is in none of libc's and the loader's code that keeps locks.
  bool is_safe(const Tracee& thread) const;

 private:
  void find_gadgets();
  bool is_guarded_code(uint64_t address) const;
  bool is_guarded_lock(uint64_t address) const;
  bool has_interrupted_guarded_code(const user_regs_struct& registers) const;

  const TargetMemory& memory_;
  std::vector<Mapping> mappings_;
  std::vector<LoadedFile> files_;
  Gadgets gadgets_;
  uint64_t signal_return_ = 0;  // where libc's signal handlers return to; 0: not found
};

std::vector<int> threads_of(int pid);

// Stopped; nullptr: none came to such a place for so many seconds.
std::unique_ptr<Tracee> stop_safe_thread(int pid, const CodeMap& code, double patience);

// Whether a signal waits that the thread takes.
bool is_signal_pending(int pid, int thread);

}  // namespace tenure::attach
