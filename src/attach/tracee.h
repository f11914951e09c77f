// attach/tracee.h: one stopped thread of another process: its registers, and calls of functions in it. Whatever was changed is
// as it was when the Tracee goes.
// World: beside the program. One thread: the kernel lets only the thread that stopped another one work with it.
#pragma once
#include <sys/types.h>
#include <sys/user.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace tenure::attach {

// Where the kernel and libc help us: bytes of code that are there anyway.
struct Gadgets {
  uint64_t system_call = 0;  // an instruction that makes one
  uint64_t trap = 0;         // an instruction that stops
};

class Tracee {
 public:
  explicit Tracee(pid_t thread) : thread_(thread) {}
  ~Tracee() { let_go(); }
  Tracee(const Tracee&) = delete;
  Tracee& operator=(const Tracee&) = delete;

  // False: it is gone, or may not be traced. It stands still afterwards.
  bool stop();
  void let_go();

  pid_t thread() const { return thread_; }
  const user_regs_struct& registers() const { return registers_; }  // as it was stopped

  // A call that waited in the kernel for something, and is to be made again when the thread goes on.
  bool waits_in_kernel() const;
  // What it was stopped in returned early only because of us: it is made again as well. For calls that the kernel itself
  // does not begin anew.
  void restart_interrupted_call(bool is_signal_pending);

  // From now on the thread may be used: no signal handler of the program runs in it, and its state is kept.
  bool borrow(const Gadgets& gadgets);
  // All of its state as it was. Before let_go(), which does it otherwise.
  void give_back();

  std::optional<int64_t> system_call(long number, const std::vector<uint64_t>& arguments);
  // On the stack that ends at `stack`. Nothing: it failed, or took longer than so many seconds and was broken off.
  std::optional<uint64_t> call(uint64_t function, const std::vector<uint64_t>& arguments,
                               uint64_t stack, double patience);

 private:
  bool set_registers(const user_regs_struct& registers) const;
  bool wait_for_trap(double patience);
  bool waits_for_lock() const;
  bool save_vectors();

  pid_t thread_;
  bool is_stopped_ = false, is_borrowed_ = false;
  user_regs_struct registers_{};
  std::vector<char> vectors_;  // the state of its vector registers, as the kernel writes it
  uint64_t signals_ = 0;       // that were held back
  Gadgets gadgets_;
};

}  // namespace tenure::attach
