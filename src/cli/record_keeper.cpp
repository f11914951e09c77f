#include "cli/record_keeper.h"

#include <fmt/core.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/version.h"
#include "cli/process_memory.h"
#include "record/machine.h"
#include "record/site_looks.h"
#include "record/write.h"

namespace tenure::cli {
namespace {

constexpr size_t kMostMoments = 600;
constexpr int kQueryPause = 20;  // milliseconds between two looks while somebody waits

// Until then nothing is written down: what ends so early has its ledger in our memory, and is written once.
constexpr double kSpoolFrom = 0.5;  // seconds

// What the spool may cost: it waits at least this many times as long as it took.
constexpr int kSpoolRest = 200;

double seconds_since(RecordKeeper::Clock::time_point then) {
  return std::chrono::duration<double>(RecordKeeper::Clock::now() - then).count();
}

uint64_t nanoseconds_since_1970() {
  auto since = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::nanoseconds(since).count());
}

}  // namespace

RecordKeeper::RecordKeeper(const std::string& directory, const std::string& program)
    : directory_(directory),
      ledgers_(directory),
      placement_(directory),
      snapshots_(directory),
      queries_(directory, program),
      oom_kills_before_(oom_kills()) {
  outcome_.tenure = version_words();
  outcome_.machine = record::this_machine();
}

RecordKeeper::~RecordKeeper() {
  if (timer_ >= 0) close(timer_);
}

Result<bool> RecordKeeper::listen() {
  if (Result<bool> listening = ledgers_.listen(); !listening) return listening;
  Result<bool> for_snapshots = snapshots_.listen(ledgers_.socket_name());
  if (for_snapshots) for_snapshots = queries_.listen(ledgers_.socket_name());
  if (!for_snapshots) ledgers_.trouble(for_snapshots.error().message);
  timer_ = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  if (timer_ >= 0) return true;
  return Error{fmt::format("cannot watch a program: {}", std::strerror(errno)), kCannotWatch};
}

void RecordKeeper::begin() {
  started_ = Clock::now();
  outcome_.started_ns = nanoseconds_since_1970();
}

void RecordKeeper::watch_main(int pid) {
  outcome_.main_pid = pid;
  outcome_.main_started = start_of(pid);
  write_down();
  set_timer(0.05);
}

void RecordKeeper::set_timer(double seconds) {
  itimerspec when{};
  when.it_value.tv_sec = static_cast<time_t>(seconds);
  when.it_value.tv_nsec =
      static_cast<long>((seconds - static_cast<double>(when.it_value.tv_sec)) * 1e9) + 1;
  timerfd_settime(timer_, 0, &when, nullptr);
}

std::array<pollfd, 3> RecordKeeper::watched() const {
  return {{{ledgers_.socket(), POLLIN, 0}, {timer_, POLLIN, 0}, {queries_.socket(), POLLIN, 0}}};
}

int RecordKeeper::pause() const {
  if (queries_.is_waiting()) return kQueryPause;
  const int pages = pages_.pause(ledgers_), memory = memory_.pause();
  return pages < 0 ? memory : std::min(pages, memory);
}

bool RecordKeeper::work(const std::array<pollfd, 3>& watched) {
  const auto& [joining, timer, asking] = watched;
  if (joining.revents) {
    ledgers_.take_in();
    placement_.look(ledgers_.processes());
  }
  pages_.look(ledgers_);
  memory_.look(ledgers_);
  if (timer.revents) on_timer();
  if (asking.revents || queries_.is_waiting()) on_queries();
  return timer.revents != 0;
}

void RecordKeeper::add_moment() {
  for (const auto& process : ledgers_.processes()) {
    if (process.pid != outcome_.main_pid) continue;
    outcome_.moments.push_back(
        {seconds(), process.resident.total, ledgers_.live_bytes_of(outcome_.main_pid)});
  }
  if (outcome_.moments.size() >= kMostMoments) record::drop_every_other(outcome_.moments);
}

void RecordKeeper::on_queries() {
  queries_.take_in(ledgers_);
  if (!snapshots_.take_in() && !queries_.is_record_wanted()) return queries_.answer(snapshots_);
  ledgers_.look();  // what is written down is of one moment
  ledgers_.spool();
  write_down();
  queries_.answer(snapshots_);
}

void RecordKeeper::on_timer() {
  uint64_t expirations;
  (void)!read(timer_, &expirations, sizeof expirations);
  auto began = Clock::now();
  ledgers_.look();
  ++looks_;
  add_moment();
  outcome_.available_at_end = available_memory();
  snapshots_.take_in();
  if (seconds() >= kSpoolFrom) {
    ledgers_.spool();
    write_down();
  }
  // Early looks are close together, so that a short program is seen too.
  set_timer(std::max(std::min(0.05 * looks_ * looks_, 1.0), seconds_since(began) * kSpoolRest));
}

// So that the record can be read while the program runs, and also if we are killed ourselves.
void RecordKeeper::write_down() {
  outcome_.seconds = seconds();
  outcome_.oom_kills = oom_kills() - oom_kills_before_;
  outcome_.own.supervisor_ns = own_processor_ns();
  outcome_.processes = ledgers_.processes();
  snapshots_.list_in(&outcome_.processes);
  pages_.list_in(&outcome_.processes);
  memory_.list_in(&outcome_.processes);
  outcome_.troubles = ledgers_.troubles();
  for (const std::string& trouble : snapshots_.troubles()) outcome_.troubles.push_back(trouble);
  Result<bool> written = record::write_run(directory_, outcome_);
  if (written) written = placement_.write_down();
  if (!written) ledgers_.trouble(written.error().message);
  (void)record::write_looks(directory_, memory_.looks());  // only a picture lacks them
}

void RecordKeeper::end(int snapshot_patience) {
  ledgers_.take_in();
  snapshots_.wait(snapshot_patience);  // what they took is written into the ledgers
  ledgers_.spool_at_end();
}

record::Record RecordKeeper::collected() {
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

double RecordKeeper::seconds() const { return seconds_since(started_); }

}  // namespace tenure::cli
