#include "cli/supervisor.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "cli/ledger_keeper.h"
#include "cli/process_memory.h"
#include "cli/program.h"
#include "ledger/protocol.h"

namespace tenure::cli {
namespace {

using analyze::RunOutcome;
using Clock = std::chrono::steady_clock;

constexpr int kWatched[] = {SIGCHLD, SIGINT,  SIGQUIT,  SIGTERM, SIGHUP,  SIGUSR1,
                            SIGUSR2, SIGCONT, SIGWINCH, SIGALRM, SIGTTOU, SIGTTIN};
constexpr size_t kMostMoments = 600;

// What the spool may cost: it waits at least this many times as long as it took.
constexpr int kSpoolRest = 100;

class Supervision {
 public:
  Supervision(const Launch& launch) : launch_(launch), keeper_(launch.directory) {}
  ~Supervision();

  Result<bool> start();
  void watch();
  RunOutcome outcome();

 private:
  Result<bool> start_program();
  [[noreturn]] void become_program(int error_pipe);
  void set_timer(double seconds);
  void on_signals();
  void on_timer();
  void on_child();
  void pass_on(const signalfd_siginfo& info);

  const Launch& launch_;
  LedgerKeeper keeper_;
  RunOutcome outcome_;
  sigset_t old_mask_{};
  int signals_ = -1;
  int timer_ = -1;
  pid_t child_ = -1;
  bool is_over_ = false;
  int looks_ = 0;
  uint64_t oom_kills_before_ = oom_kills();
  Clock::time_point started_ = Clock::now();
};

Supervision::~Supervision() {
  if (signals_ >= 0) close(signals_);
  if (timer_ >= 0) close(timer_);
}

Result<bool> Supervision::start() {
  Result<bool> listening = keeper_.listen();
  if (!listening) return listening;
  sigset_t mask;
  sigemptyset(&mask);
  for (int signal : kWatched) sigaddset(&mask, signal);
  sigprocmask(SIG_BLOCK, &mask, &old_mask_);
  signals_ = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
  timer_ = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  outcome_.arguments = launch_.arguments;
  outcome_.directory = std::filesystem::current_path().string();
  Result<bool> started = start_program();
  if (!started) sigprocmask(SIG_SETMASK, &old_mask_, nullptr);
  return started;
}

Result<bool> Supervision::start_program() {
  int pipe_ends[2];
  if (pipe2(pipe_ends, O_CLOEXEC) != 0)
    return Error{fmt::format("cannot start the program: {}", std::strerror(errno)), 126};
  started_ = Clock::now();
  child_ = fork();
  if (child_ == 0) become_program(pipe_ends[1]);
  close(pipe_ends[1]);
  int failure = child_ < 0 ? errno : 0;
  // The pipe closes without a word when exec worked.
  if (child_ > 0 && read(pipe_ends[0], &failure, sizeof failure) != sizeof failure) failure = 0;
  close(pipe_ends[0]);
  if (failure == 0) {
    outcome_.main_pid = child_;
    set_timer(0.05);
    return true;
  }
  if (child_ > 0) waitpid(child_, nullptr, 0);
  const char* hint =
      failure == ENOEXEC ? "; it is neither a program nor a script with a #! line" : "";
  return Error{
      fmt::format("cannot run {}: {}{}", launch_.arguments[0], std::strerror(failure), hint),
      failure == ENOENT ? 127 : 126};
}

void Supervision::become_program(int error_pipe) {
  sigprocmask(SIG_SETMASK, &old_mask_, nullptr);
  const char* before = getenv(ledger::kPreloadVariable);
  std::string preload = before && *before ? launch_.library + ":" + before : launch_.library;
  setenv(ledger::kPreloadVariable, preload.c_str(), 1);
  setenv(ledger::kSocketVariable, keeper_.socket_name().c_str(), 1);
  setenv(ledger::kMainPidVariable, std::to_string(getpid()).c_str(), 1);
  std::vector<char*> arguments = argument_vector(launch_.arguments);
  execv(arguments[0], arguments.data());
  int failure = errno;
  (void)!write(error_pipe, &failure, sizeof failure);
  _exit(126);
}

void Supervision::set_timer(double seconds) {
  itimerspec when{};
  when.it_value.tv_sec = static_cast<time_t>(seconds);
  when.it_value.tv_nsec =
      static_cast<long>((seconds - static_cast<double>(when.it_value.tv_sec)) * 1e9) + 1;
  timerfd_settime(timer_, 0, &when, nullptr);
}

void Supervision::watch() {
  pollfd watched[] = {{signals_, POLLIN, 0}, {keeper_.socket(), POLLIN, 0}, {timer_, POLLIN, 0}};
  while (!is_over_) {
    if (poll(watched, 3, -1) < 0 && errno != EINTR) break;
    if (watched[1].revents) keeper_.take_in();
    if (watched[2].revents) on_timer();
    if (watched[0].revents) on_signals();
  }
  keeper_.take_in();
  keeper_.spool();
}

void Supervision::on_timer() {
  uint64_t expirations;
  (void)!read(timer_, &expirations, sizeof expirations);
  auto began = Clock::now();
  keeper_.look();
  ++looks_;
  double seconds = std::chrono::duration<double>(began - started_).count();
  for (const auto& process : keeper_.processes()) {
    if (process.pid != child_) continue;
    outcome_.moments.push_back({seconds, process.resident.total, keeper_.live_bytes_of(child_)});
  }
  if (outcome_.moments.size() >= kMostMoments) {
    for (size_t i = 1; i < outcome_.moments.size(); ++i)
      outcome_.moments.erase(outcome_.moments.begin() + static_cast<long>(i));
  }
  outcome_.available_at_end = available_memory();
  keeper_.spool();
  // Early looks are close together, so that a short program is seen too.
  double took = std::chrono::duration<double>(Clock::now() - began).count();
  set_timer(std::max(std::min(0.05 * looks_ * looks_, 1.0), took * kSpoolRest));
}

// A signal from the terminal has reached the program as well; one sent to us alone is passed on.
void Supervision::pass_on(const signalfd_siginfo& info) {
  if (info.ssi_signo == SIGINT) outcome_.was_interrupted = true;
  bool from_terminal = info.ssi_code == SI_KERNEL;
  if (!from_terminal && static_cast<pid_t>(info.ssi_pid) != child_)
    kill(child_, static_cast<int>(info.ssi_signo));
}

void Supervision::on_signals() {
  signalfd_siginfo info;
  while (read(signals_, &info, sizeof info) == sizeof info) {
    if (info.ssi_signo == SIGCHLD)
      on_child();
    else if (info.ssi_signo == SIGCONT)
      kill(child_, SIGCONT);
    else if (info.ssi_signo != SIGWINCH)
      pass_on(info);
  }
}

void Supervision::on_child() {
  int status;
  rusage usage{};
  while (wait4(child_, &status, WNOHANG | WUNTRACED, &usage) == child_) {
    if (WIFSTOPPED(status)) {  // Ctrl-Z: stop with it, so that the shell sees a stopped job
      kill(getpid(), SIGSTOP);
      continue;
    }
    outcome_.has_ended = true;
    outcome_.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    outcome_.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    outcome_.resident_peak = static_cast<uint64_t>(usage.ru_maxrss) * 1024;
    is_over_ = true;
    return;
  }
}

RunOutcome Supervision::outcome() {
  outcome_.seconds = std::chrono::duration<double>(Clock::now() - started_).count();
  outcome_.oom_kills = oom_kills() - oom_kills_before_;
  outcome_.processes = keeper_.processes();
  outcome_.troubles = keeper_.troubles();
  sigprocmask(SIG_SETMASK, &old_mask_, nullptr);
  return outcome_;
}

}  // namespace

Result<RunOutcome> supervise(const Launch& launch) {
  Supervision supervision(launch);
  // From here on the terminal's Ctrl-C is the program's; we live on to tell.
  Result<bool> started = supervision.start();
  if (!started) return started.error();
  supervision.watch();
  signal(SIGINT, SIG_IGN);
  signal(SIGQUIT, SIG_IGN);
  return supervision.outcome();
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
