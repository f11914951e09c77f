#include "cli/signal_setup.h"

#include <sys/signalfd.h>
#include <unistd.h>

namespace tenure::cli {
namespace {

constexpr int kWatched[] = {SIGCHLD, SIGINT,   SIGQUIT, SIGTERM, SIGHUP,  SIGUSR1, SIGUSR2,
                            SIGCONT, SIGWINCH, SIGALRM, SIGTSTP, SIGTTOU, SIGTTIN};

void set(int signal, void (*handler)(int), struct sigaction* old) {
  struct sigaction action{};
  action.sa_handler = handler;
  sigaction(signal, &action, old);
}

}  // namespace

SignalSetup::SignalSetup() {
  set(SIGCHLD, SIG_DFL, &old_child_);  // ignored by who started us, the child's end would go unseen
  set(SIGPIPE, SIG_IGN, &old_pipe_);
  set(SIGXFSZ, SIG_IGN,
      &old_size_);  // a limit of file size is a full disk for us, no reason to die
  sigset_t mask;
  sigemptyset(&mask);
  for (int signal : kWatched) sigaddset(&mask, signal);
  sigprocmask(SIG_BLOCK, &mask, &old_mask_);
  fd_ = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
}

SignalSetup::~SignalSetup() {
  if (fd_ >= 0) close(fd_);
}

void SignalSetup::give_back() const {
  sigaction(SIGCHLD, &old_child_, nullptr);
  sigaction(SIGPIPE, &old_pipe_, nullptr);
  sigaction(SIGXFSZ, &old_size_, nullptr);
  sigprocmask(SIG_SETMASK, &old_mask_, nullptr);
}

void SignalSetup::end_watch() const {
  set(SIGINT, SIG_IGN, nullptr);
  set(SIGQUIT, SIG_IGN, nullptr);
  sigprocmask(SIG_SETMASK, &old_mask_, nullptr);
}

}  // namespace tenure::cli
