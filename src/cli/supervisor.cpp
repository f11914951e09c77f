#include "cli/supervisor.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "analyze/errors/lifetime_errors.h"
#include "analyze/run/process_run.h"
#include "base/version.h"
#include "cli/group_witness.h"
#include "cli/job_placement.h"
#include "cli/ledger_spooler.h"
#include "cli/memory_watch.h"
#include "cli/page_watch.h"
#include "cli/process_memory.h"
#include "cli/program.h"
#include "cli/query_server.h"
#include "cli/signal_setup.h"
#include "cli/snapshot_collector.h"
#include "ledger/protocol.h"
#include "ledger/writer.h"
#include "record/machine.h"
#include "record/site_looks.h"
#include "record/write.h"

namespace tenure::cli {
namespace {

using record::RunOutcome;
using Clock = std::chrono::steady_clock;

constexpr size_t kMostMoments = 600;
constexpr int kSnapshotPatience = 20;  // seconds, once the program has ended

constexpr int kQueryPause = 20;  // milliseconds between two looks while somebody waits

// Until then nothing is written down: what ends so early has its ledger in our memory, and is written once.
constexpr double kSpoolFrom = 0.5;  // seconds

// What the spool may cost: it waits at least this many times as long as it took.
constexpr int kSpoolRest = 200;

double seconds_since(Clock::time_point then) {
  return std::chrono::duration<double>(Clock::now() - then).count();
}

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

uint64_t nanoseconds_since_1970() {
  auto since = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::nanoseconds(since).count());
}

class Supervision {
 public:
  explicit Supervision(const Launch& launch)
      : launch_(launch),
        ledgers_(launch.directory),
        placement_(launch.directory),
        snapshots_(launch.directory),
        queries_(launch.directory, analyze::main_file_of(launch.arguments)) {}
  ~Supervision();
  Supervision(const Supervision&) = delete;
  Supervision& operator=(const Supervision&) = delete;

  Result<bool> start();
  void watch();
  record::Record collected();

 private:
  Result<bool> start_program();
  [[noreturn]] void become_program(int error_pipe);
  void set_environment() const;
  void set_timer(double seconds);
  int pause() const;
  void on_signals();
  void on_timer();
  bool on_child();
  void go_on_too();
  void pass_on(const signalfd_siginfo& info);
  void stop_too(int signal);
  void add_moment();
  void on_queries();
  void write_down();
  void tell_unresponsive();

  const Launch& launch_;
  SignalSetup signals_;
  GroupWitness witness_;
  LedgerSpooler ledgers_;
  JobPlacement placement_;
  SnapshotCollector snapshots_;
  PageWatch pages_;
  MemoryWatch memory_;
  QueryServer queries_;
  RunOutcome outcome_;
  double interrupted_after_ = 0;  // seconds of the run
  bool is_unresponsive_told_ = false;
  int timer_ = -1;
  pid_t child_ = -1;
  bool is_over_ = false;
  int looks_ = 0;
  uint64_t oom_kills_before_ = oom_kills();
  Clock::time_point started_ = Clock::now();
};

Supervision::~Supervision() {
  if (timer_ >= 0) close(timer_);
}

Result<bool> Supervision::start() {
  Result<bool> listening = ledgers_.listen();
  if (listening) {
    Result<bool> for_snapshots = snapshots_.listen(ledgers_.socket_name());
    if (for_snapshots) for_snapshots = queries_.listen(ledgers_.socket_name());
    if (!for_snapshots) ledgers_.trouble(for_snapshots.error().message);
  }
  timer_ = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  int failure = errno;
  Result<bool> started = listening;
  if (listening && (timer_ < 0 || signals_.fd() < 0))
    started =
        Error{fmt::format("cannot watch a program: {}", std::strerror(failure)), kCannotWatch};
  outcome_.tenure = version_words();
  outcome_.settings = launch_.settings;
  outcome_.machine = record::this_machine();
  outcome_.arguments = launch_.arguments;
  outcome_.not_seen = launch_.not_seen;
  std::error_code unknown;
  outcome_.directory = std::filesystem::current_path(unknown).string();
  if (started) started = start_program();
  if (!started) signals_.give_back();
  return started;
}

Result<bool> Supervision::start_program() {
  int pipe_ends[2];
  if (pipe2(pipe_ends, O_CLOEXEC) != 0)
    return Error{fmt::format("cannot watch a program: {}", std::strerror(errno)), kCannotWatch};
  started_ = Clock::now();
  outcome_.started_ns = nanoseconds_since_1970();
  child_ = fork();
  if (child_ == 0) become_program(pipe_ends[1]);
  int failure = child_ < 0 ? errno : 0;
  close(pipe_ends[1]);
  // The pipe closes without a word when exec worked.
  if (child_ > 0 && read(pipe_ends[0], &failure, sizeof failure) != sizeof failure) failure = 0;
  close(pipe_ends[0]);
  if (failure == 0) {
    witness_.start();
    outcome_.main_pid = child_;
    outcome_.main_started = start_of(child_);
    write_down();
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

void Supervision::set_environment() const {
  const char* before = getenv(ledger::kPreloadVariable);
  std::string preload = before && *before ? launch_.library + ":" + before : launch_.library;
  setenv(ledger::kPreloadVariable, preload.c_str(), 1);
  setenv(ledger::kSocketVariable, ledgers_.socket_name().c_str(), 1);
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

void Supervision::set_timer(double seconds) {
  itimerspec when{};
  when.it_value.tv_sec = static_cast<time_t>(seconds);
  when.it_value.tv_nsec =
      static_cast<long>((seconds - static_cast<double>(when.it_value.tv_sec)) * 1e9) + 1;
  timerfd_settime(timer_, 0, &when, nullptr);
}

// Milliseconds until something is due that no descriptor tells of.
int Supervision::pause() const {
  if (queries_.is_waiting()) return kQueryPause;
  const int pages = pages_.pause(ledgers_), memory = memory_.pause();
  return pages < 0 ? memory : std::min(pages, memory);
}

void Supervision::watch() {
  pollfd watched[] = {{signals_.fd(), POLLIN, 0},
                      {ledgers_.socket(), POLLIN, 0},
                      {timer_, POLLIN, 0},
                      {queries_.socket(), POLLIN, 0}};
  while (!is_over_) {
    if (poll(watched, 4, pause()) < 0) {
      if (errno == EINTR) continue;
      break;
    }
    if (watched[1].revents) {
      ledgers_.take_in();
      placement_.look(ledgers_.processes());
    }
    pages_.look(ledgers_);
    memory_.look(ledgers_);
    if (watched[2].revents) on_timer();
    if (watched[3].revents || queries_.is_waiting()) on_queries();
    if (watched[0].revents) on_signals();
  }
  ledgers_.take_in();
  snapshots_.wait(kSnapshotPatience);  // what they took is written into the ledgers
  ledgers_.spool_at_end();
  signals_.end_watch();
}

void Supervision::add_moment() {
  for (const auto& process : ledgers_.processes()) {
    if (process.pid != child_) continue;
    outcome_.moments.push_back(
        {seconds_since(started_), process.resident.total, ledgers_.live_bytes_of(child_)});
  }
  if (outcome_.moments.size() >= kMostMoments) record::drop_every_other(outcome_.moments);
}

void Supervision::on_queries() {
  queries_.take_in(ledgers_);
  if (!snapshots_.take_in() && !queries_.is_record_wanted()) return queries_.answer(snapshots_);
  ledgers_.look();  // what is written down is of one moment
  ledgers_.spool();
  write_down();
  queries_.answer(snapshots_);
}

void Supervision::on_timer() {
  uint64_t expirations;
  (void)!read(timer_, &expirations, sizeof expirations);
  auto began = Clock::now();
  ledgers_.look();
  ++looks_;
  add_moment();
  outcome_.available_at_end = available_memory();
  snapshots_.take_in();
  if (seconds_since(started_) >= kSpoolFrom) {
    ledgers_.spool();
    write_down();
  }
  tell_unresponsive();
  // Early looks are close together, so that a short program is seen too.
  set_timer(std::max(std::min(0.05 * looks_ * looks_, 1.0), seconds_since(began) * kSpoolRest));
}

// A program that waits in native code never comes to answer a Ctrl-C: say now what it waits for.
void Supervision::tell_unresponsive() {
  constexpr double kPatience = 2;  // seconds
  bool is_unresponsive =
      outcome_.was_interrupted && seconds_since(started_) > interrupted_after_ + kPatience;
  if (!is_unresponsive || is_unresponsive_told_ || !launch_.on_unresponsive) return;
  is_unresponsive_told_ = true;
  record::Record seen = collected();
  bool waits = std::any_of(seen.ledgers.begin(), seen.ledgers.end(),
                           [](const auto& entry) { return analyze::is_waiting(entry.second); });
  if (waits) launch_.on_unresponsive(seen);
}

// So that the record can be read while the program runs, and also if we are killed ourselves.
void Supervision::write_down() {
  outcome_.seconds = seconds_since(started_);
  outcome_.oom_kills = oom_kills() - oom_kills_before_;
  outcome_.own.supervisor_ns = own_processor_ns();
  outcome_.processes = ledgers_.processes();
  snapshots_.list_in(&outcome_.processes);
  pages_.list_in(&outcome_.processes);
  memory_.list_in(&outcome_.processes);
  outcome_.troubles = ledgers_.troubles();
  for (const std::string& trouble : snapshots_.troubles()) outcome_.troubles.push_back(trouble);
  Result<bool> written = record::write_run(launch_.directory, outcome_);
  if (written) written = placement_.write_down();
  if (!written) ledgers_.trouble(written.error().message);
  (void)record::write_looks(launch_.directory, memory_.looks());  // only a picture lacks them
}

// What was sent to the whole group, as by the terminal's keys, has reached the program as well. What was sent to us alone
// is passed on: also the hangup of a terminal whose session we lead.
void Supervision::pass_on(const signalfd_siginfo& info) {
  if (info.ssi_signo == SIGINT && !outcome_.was_interrupted) {
    outcome_.was_interrupted = true;
    interrupted_after_ = seconds_since(started_);
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
    outcome_.has_ended = true;
    outcome_.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    outcome_.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    outcome_.resident_peak = static_cast<uint64_t>(usage.ru_maxrss) * 1024;
    outcome_.own.program_ns = processor_ns(usage);
    if (auto own = resident_memory(getpid())) outcome_.own.supervisor_bytes = own->peak;
    is_over_ = true;
    break;
  }
  return has_stopped;
}

record::Record Supervision::collected() {
  write_down();
  record::Record record;
  ledgers_.fill(&record);
  record.symbols = record::Symbols::from_modules();
  record.sources = record::Sources::from_files(outcome_);
  record.outcome = outcome_;  // asked for by the next
  snapshots_.fill(&record);
  record.outcome.own.supervisor_ns = own_processor_ns();
  return record;
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
