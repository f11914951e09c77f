// cli/signal_setup.h: which signals the supervisor reads instead of dying of them, and the way back for the program.
// World: beside the program. One thread.
#pragma once
#include <signal.h>

namespace tenure::cli {

class SignalSetup {
 public:
  SignalSetup();  // fd() is below 0 if the system refuses
  ~SignalSetup();
  SignalSetup(const SignalSetup&) = delete;
  SignalSetup& operator=(const SignalSetup&) = delete;

  int fd() const { return fd_; }  // a signalfd, not blocking

  // In the child, before exec: everything as it was when we were started.
  void give_back() const;

  // When the program is over: the terminal's keys do not stop the report, a reader that went away does not either.
  void end_watch() const;

 private:
  sigset_t old_mask_{};
  struct sigaction old_child_{}, old_pipe_{}, old_size_{};
  int fd_ = -1;
};

}  // namespace tenure::cli
