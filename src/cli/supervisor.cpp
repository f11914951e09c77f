#include "cli/supervisor.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "analyze/errors/lifetime_errors.h"
#include "analyze/run/process_run.h"
#include "cli/group_witness.h"
#include "cli/process_memory.h"
#include "cli/program.h"
#include "cli/record_keeper.h"
#include "cli/signal_setup.h"
#include "ledger/protocol.h"
#include "ledger/writer.h"

namespace tenure::cli {
namespace {

using record::RunOutcome;
constexpr int kSnapshotPatience = 20;  // seconds, once the program has ended

// Descriptors 0 to 2 that nobody gave us must not become our sockets and files: words would be written into them.
// The program finds them closed, as they were.
void fill_standard_descriptors() {
  int fd;
  do fd = open("/dev/null", O_RDWR | O_CLOEXEC);
  while (fd >= 0 && fd <= STDERR_FILENO);
  if (fd >= 0) close(fd);
}

// We are what a shell shows in its foreground, so it waits for us to stop when the program stops.
bool is_foreground_job() {
  int terminal = open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NOCTTY);
  bool is_front = terminal >= 0 && tcgetpgrp(terminal) == getpgrp();
  if (terminal >= 0) close(terminal);
  return is_front;
}

// A limit of address space was meant for the program: our reserved part of it, hardly ever touched, comes on top.
void widen_address_space() {
  constexpr rlim_t kOurs = ledger::reserved_bytes() + (16 << 20);
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  rlimit wider = limit;
  wider.rlim_cur += kOurs;
  if (wider.rlim_max != RLIM_INFINITY) wider.rlim_max += kOurs;
  if (setrlimit(RLIMIT_AS, &wider) == 0) return;
  wider = {std::min(limit.rlim_cur + kOurs, limit.rlim_max), limit.rlim_max};
  setrlimit(RLIMIT_AS, &wider);
}

class Supervision {
 public:
  explicit Supervision(const Launch& launch)
      : launch_(launch), keeper_(launch.directory, analyze::main_file_of(launch.arguments)) {}
  Supervision(const Supervision&) = delete;
  Supervision& operator=(const Supervision&) = delete;

  Result<bool> start();
  void watch();
  record::Record collected() { return keeper_.collected(); }

 private:
  Result<bool> start_program();
  [[noreturn]] void become_program(int error_pipe);
  void set_environment() const;
  void on_signals();
  bool on_child();
  void go_on_too();
  void pass_on(const signalfd_siginfo& info);
  void stop_too(int signal);
  void tell_unresponsive();

  const Launch& launch_;
  SignalSetup signals_;
  GroupWitness witness_;
  RecordKeeper keeper_;
  double interrupted_after_ = 0;  // seconds of the run
  bool is_unresponsive_told_ = false;
  pid_t child_ = -1;
  bool is_over_ = false;
};

Result<bool> Supervision::start() {
  Result<bool> started = keeper_.listen();
  if (started && signals_.fd() < 0)
    started = Error{"cannot watch a program: its signals cannot be read", kCannotWatch};
  RunOutcome& outcome = keeper_.outcome();
  outcome.settings = launch_.settings;
  outcome.arguments = launch_.arguments;
  outcome.not_seen = launch_.not_seen;
  std::error_code unknown;
  outcome.directory = std::filesystem::current_path(unknown).string();
  if (started) started = start_program();
  if (!started) signals_.give_back();
  return started;
}

Result<bool> Supervision::start_program() {
  int pipe_ends[2];
  if (pipe2(pipe_ends, O_CLOEXEC) != 0)
    return Error{fmt::format("cannot watch a program: {}", std::strerror(errno)), kCannotWatch};
  keeper_.begin();
  child_ = fork();
  if (child_ == 0) become_program(pipe_ends[1]);
  int failure = child_ < 0 ? errno : 0;
  close(pipe_ends[1]);
  // The pipe closes without a word when exec worked.
  if (child_ > 0 && read(pipe_ends[0], &failure, sizeof failure) != sizeof failure) failure = 0;
  close(pipe_ends[0]);
  if (failure == 0) {
    witness_.start();
    keeper_.watch_main(child_);
    return true;
  }
  if (child_ > 0) waitpid(child_, nullptr, 0);
  const char* hint =
      failure == ENOEXEC ? "; it is neither a program nor a script with a #! line" : "";
  return Error{
      fmt::format("cannot run {}: {}{}", launch_.arguments[0], std::strerror(failure), hint),
      failure == ENOENT ? 127 : 126};
}

void Supervision::set_environment() const {
  const char* before = getenv(ledger::kPreloadVariable);
  std::string preload = before && *before ? launch_.library + ":" + before : launch_.library;
  setenv(ledger::kPreloadVariable, preload.c_str(), 1);
  setenv(ledger::kSocketVariable, keeper_.socket_name().c_str(), 1);
  setenv(ledger::kMainPidVariable, std::to_string(getpid()).c_str(), 1);
  setenv(ledger::kHeapVariable, launch_.heap, 1);
  setenv(ledger::kArraysVariable,
         launch_.counts_small_arrays ? ledger::kAllArrays : ledger::kLargeArrays, 1);
  setenv(ledger::kTextVariable, launch_.settings.keeps_source ? ledger::kText : ledger::kNoText, 1);
}

// The live view has the terminal. What the user sent elsewhere goes there as before.
void leave_terminal(int output) {
  for (int fd : {STDOUT_FILENO, STDERR_FILENO}) {
    if (isatty(fd)) dup2(output, fd);
  }
  const int nothing = isatty(STDIN_FILENO) ? open("/dev/null", O_RDONLY) : -1;
  if (nothing > STDIN_FILENO) {
    dup2(nothing, STDIN_FILENO);
    close(nothing);
  }
}

void Supervision::become_program(int error_pipe) {
  signals_.give_back();
  if (launch_.output >= 0) leave_terminal(launch_.output);
  if (!launch_.library.empty()) {
    set_environment();
    widen_address_space();
  }
  execv(launch_.path.c_str(), argument_vector(launch_.arguments).data());
  int failure = errno;
  (void)!write(error_pipe, &failure, sizeof failure);
  _exit(126);
}

void Supervision::watch() {
  while (!is_over_) {
    const auto [joining, timer, asking] = keeper_.watched();
    std::array<pollfd, 4> watched = {{{signals_.fd(), POLLIN, 0}, joining, timer, asking}};
    if (poll(watched.data(), watched.size(), keeper_.pause()) < 0) {
      if (errno == EINTR) continue;
      break;
    }
    if (keeper_.work({{watched[1], watched[2], watched[3]}})) tell_unresponsive();
    if (watched[0].revents) on_signals();
  }
  keeper_.end(kSnapshotPatience);
  signals_.end_watch();
}

// A program that waits in native code never comes to answer a Ctrl-C: say now what it waits for.
void Supervision::tell_unresponsive() {
  constexpr double kPatience = 2;  // seconds
  bool is_unresponsive =
      keeper_.outcome().was_interrupted && keeper_.seconds() > interrupted_after_ + kPatience;
  if (!is_unresponsive || is_unresponsive_told_ || !launch_.on_unresponsive) return;
  is_unresponsive_told_ = true;
  record::Record seen = collected();
  bool waits = std::any_of(seen.ledgers.begin(), seen.ledgers.end(),
                           [](const auto& entry) { return analyze::is_waiting(entry.second); });
  if (waits) launch_.on_unresponsive(seen);
}

// What was sent to the whole group, as by the terminal's keys, has reached the program as well. What was sent to us alone
// is passed on: also the hangup of a terminal whose session we lead.
void Supervision::pass_on(const signalfd_siginfo& info) {
  RunOutcome& outcome = keeper_.outcome();
  if (info.ssi_signo == SIGINT && !outcome.was_interrupted) {
    outcome.was_interrupted = true;
    interrupted_after_ = keeper_.seconds();
  }
  auto signal = static_cast<int>(info.ssi_signo);
  bool is_programs = static_cast<pid_t>(info.ssi_pid) == child_ && info.ssi_code != SI_KERNEL;
  if (is_programs) return;
  bool is_by_keys = info.ssi_code == SI_KERNEL && signal != SIGHUP;
  if (!is_by_keys && !witness_.has_seen(signal)) kill(child_, signal);
}

void Supervision::on_signals() {
  signalfd_siginfo info;
  while (read(signals_.fd(), &info, sizeof info) == sizeof info) {
    if (info.ssi_signo == SIGCHLD) {
      on_child();
    } else if (info.ssi_signo == SIGCONT) {
      go_on_too();
    } else if (info.ssi_signo != SIGWINCH) {
      pass_on(info);
    }
  }
}

// Ctrl-Z: the shell must see a stopped job. A program that somebody paused from outside is no job of a shell: whoever
// paused it will let it go on, and would not know of us.
void Supervision::stop_too(int signal) {
  if (signal != SIGSTOP || is_foreground_job()) kill(getpid(), SIGSTOP);
}

// The shell's `fg` has mostly reached the program already. If it stands, and that is news, it was stopped again since: asked
// in this order, no stop between the two is taken for the old one.
void Supervision::go_on_too() {
  const bool stands = is_stopped(child_);
  if (!on_child() && stands) kill(child_, SIGCONT);
}

// True: it was stopped since the last time.
bool Supervision::on_child() {
  int status;
  rusage usage{};
  bool has_stopped = false;
  while (wait4(child_, &status, WNOHANG | WUNTRACED, &usage) == child_) {
    if (WIFSTOPPED(status)) {
      has_stopped = true;
      stop_too(WSTOPSIG(status));
      continue;
    }
    RunOutcome& outcome = keeper_.outcome();
    outcome.has_ended = true;
    outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    outcome.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    outcome.resident_peak = static_cast<uint64_t>(usage.ru_maxrss) * 1024;
    outcome.own.program_ns = processor_ns(usage);
    if (auto own = resident_memory(getpid())) outcome.own.supervisor_bytes = own->peak;
    is_over_ = true;
    break;
  }
  return has_stopped;
}

}  // namespace

Result<record::Record> supervise(const Launch& launch) {
  fill_standard_descriptors();
  // From here on the terminal's Ctrl-C is the program's; we live on to tell.
  Supervision supervision(launch);
  Result<bool> started = supervision.start();
  if (!started) return started.error();
  supervision.watch();
  return supervision.collected();
}

void end_like(const RunOutcome& outcome) {
  if (outcome.signal != 0) {
    rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    signal(outcome.signal, SIG_DFL);
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_UNBLOCK, &all, nullptr);
    kill(getpid(), outcome.signal);
  }
  _exit(outcome.signal ? 128 + outcome.signal : outcome.exit_code);
}

}  // namespace tenure::cli
