#include "cli/attached_run.h"

#include <fmt/core.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "analyze/run/process_run.h"
#include "attach/attachment.h"
#include "base/monotonic.h"
#include "cli/process_memory.h"
#include "cli/record_keeper.h"
#include "cli/stderr_output.h"

namespace tenure::cli {
namespace {

constexpr int kSnapshotPatience = 20;      // seconds, for those under way
constexpr double kLastLookPatience = 2.5;  // seconds, for one more to be begun
constexpr double kHopelessPatience = 0.5;  // the same, where none came when Tenure did
constexpr int kLongestWait = 100;          // milliseconds between two looks at the clock

// Ctrl-C and its kin end the watching, and are not the program's: it is in no group of ours.
class EndSignals {
 public:
  EndSignals() {
    sigset_t mask;
    sigemptyset(&mask);
    for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&mask, signal);
    sigprocmask(SIG_BLOCK, &mask, nullptr);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);  // a limit of file size is a full disk for us
    fd_ = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
  }
  ~EndSignals() {
    if (fd_ >= 0) close(fd_);
  }
  EndSignals(const EndSignals&) = delete;
  EndSignals& operator=(const EndSignals&) = delete;
  int fd() const { return fd_; }

 private:
  int fd_ = -1;
};

class AttachedWatch {
 public:
  explicit AttachedWatch(const AttachedRun& run)
      : run_(run),
        process_(static_cast<int>(syscall(SYS_pidfd_open, run.target.pid, 0))),
        keeper_(run.directory, analyze::main_file_of(run.arguments)) {}
  ~AttachedWatch() {
    if (process_ >= 0) close(process_);
  }
  AttachedWatch(const AttachedWatch&) = delete;
  AttachedWatch& operator=(const AttachedWatch&) = delete;

  Result<bool> start();
  void watch();
  void leave();
  record::Record collected() { return keeper_.collected(); }

 private:
  void wait_once();
  void look_for_the_last_time();
  void detach_from_children();

  const AttachedRun& run_;
  int process_;
  EndSignals signals_;
  RecordKeeper keeper_;
  attach::Attachment attachment_;
  uint64_t used_before_ns_ = 0;  // of processor time, by the program
  bool is_asked_to_end_ = false, has_ended_ = false;
};

Result<bool> AttachedWatch::start() {
  Result<bool> ready = attach::enter_network_of(run_.target);
  if (ready) ready = keeper_.listen();
  if (!ready) return ready;
  record::RunOutcome& outcome = keeper_.outcome();
  outcome.settings = run_.settings;
  outcome.arguments = run_.arguments;
  std::error_code unknown;
  outcome.directory =
      std::filesystem::read_symlink(fmt::format("/proc/{}/cwd", run_.target.pid), unknown).string();
  keeper_.begin();
  used_before_ns_ = processor_ns(run_.target.pid);
  auto made = attach::attach_to(run_.target, run_.library, keeper_.socket_name());
  if (!made) return made.error();
  attachment_ = *made;
  keeper_.ledgers().take_in();
  keeper_.watch_main(run_.target.pid);
  keeper_.ledgers().want_snapshot(run_.target.pid);  // who holds most now
  say_line(fmt::format("attached to process {} ({}) in {:.1f} ms; {}", run_.target.pid,
                       run_.arguments[0], attachment_.pause_ms,
                       run_.seconds > 0 ? fmt::format("for {:g} seconds", run_.seconds)
                                        : "Ctrl-C ends the watching, not the program"));
  return true;
}

void AttachedWatch::wait_once() {
  const auto [joining, timer, asking] = keeper_.watched();
  std::array<pollfd, 5> watched = {
      {{signals_.fd(), POLLIN, 0}, {process_, POLLIN, 0}, joining, timer, asking}};
  const int pause = keeper_.pause();
  if (poll(watched.data(), watched.size(),
           pause < 0 ? kLongestWait : std::min(pause, kLongestWait)) < 0)
    return;
  keeper_.work({{watched[2], watched[3], watched[4]}});
  has_ended_ = has_ended_ || watched[1].revents != 0;
  signalfd_siginfo info;
  while (watched[0].revents && read(signals_.fd(), &info, sizeof info) == sizeof info)
    is_asked_to_end_ = true;
}

void AttachedWatch::watch() {
  while (!has_ended_ && !is_asked_to_end_) {
    if (run_.seconds > 0 && keeper_.seconds() >= run_.seconds) return;
    wait_once();
  }
}

// A program that makes nothing, or waits in native code, takes no snapshot: then the last one has to do.
void AttachedWatch::look_for_the_last_time() {
  const uint64_t now = monotonic_ns();
  const bool has_any = !keeper_.snapshots().newest(run_.target.pid, 0).empty();
  const double end = keeper_.seconds() + (has_any ? kLastLookPatience : kHopelessPatience);
  keeper_.ledgers().want_snapshot(run_.target.pid);
  while (!has_ended_ && keeper_.seconds() < end &&
         keeper_.snapshots().newest(run_.target.pid, now).empty()) {
    wait_once();
    keeper_.snapshots().take_in();
  }
}

// They inherited what leads to Tenure, and joined by themselves.
void AttachedWatch::detach_from_children() {
  for (int pid : keeper_.ledgers().processes_below(run_.target.pid)) {
    attach::Attachment of_child = attachment_;
    of_child.pid = pid;
    if (Result<double> done = attach::detach_from(of_child); !done && kill(pid, 0) == 0)
      keeper_.ledgers().trouble(done.error().message);
  }
}

void AttachedWatch::leave() {
  record::RunOutcome& outcome = keeper_.outcome();
  if (!has_ended_) look_for_the_last_time();
  if (!has_ended_) {
    keeper_.ledgers().look();
    const Result<double> done = attach::detach_from(attachment_);
    if (done)
      say_line(
          fmt::format("detached from process {} in {:.1f} ms; it goes on", run_.target.pid, *done));
    else if (kill(run_.target.pid, 0) == 0)
      keeper_.ledgers().trouble(done.error().message);
  }
  detach_from_children();
  outcome.is_detached = true;
  if (auto memory = resident_memory(run_.target.pid)) outcome.resident_peak = memory->peak;
  const uint64_t used = processor_ns(run_.target.pid);
  outcome.own.program_ns = used > used_before_ns_ ? used - used_before_ns_ : 0;
  if (auto own = resident_memory(getpid())) outcome.own.supervisor_bytes = own->peak;
  keeper_.end(kSnapshotPatience);
}

}  // namespace

std::vector<std::string> arguments_of(int pid) {
  std::vector<std::string> arguments;
  std::ifstream file(fmt::format("/proc/{}/cmdline", pid), std::ios::binary);
  for (std::string word; std::getline(file, word, '\0');) arguments.push_back(word);
  if (arguments.empty()) arguments.push_back(fmt::format("process {}", pid));
  return arguments;
}

Result<record::Record> watch_attached(const AttachedRun& run) {
  AttachedWatch watch(run);
  Result<bool> started = watch.start();
  if (!started) return started.error();
  watch.watch();
  watch.leave();
  return watch.collected();
}

}  // namespace tenure::cli
