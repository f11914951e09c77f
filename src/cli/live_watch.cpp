#include "cli/live_watch.h"

#include <fmt/core.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <filesystem>
#include <map>
#include <mutex>
#include <thread>
#include <tuple>
#include <utility>

#include "analyze/analysis.h"
#include "analyze/run/figures.h"
#include "analyze/run/process_run.h"
#include "cli/page_file.h"
#include "cli/query_server.h"
#include "cli/running_record.h"
#include "record/layout.h"
#include "record/placement.h"
#include "record/read.h"
#include "report/source_text.h"

namespace tenure::cli {
namespace {

using report::LiveState;
using std::chrono::nanoseconds;

constexpr int kNice = 10;           // the program comes first
constexpr size_t kMostSites = 400;  // whose live bytes are told

nanoseconds processor_time_of_thread() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + nanoseconds(time.tv_nsec);
}

using PlaceKey = std::tuple<std::string, int, std::string>;

PlaceKey key_of(const analyze::Place& place) { return {place.file, place.line, place.function}; }

// Several processes can have the same line: the worst that it came to counts.
void merge(const analyze::ConsideredLine& other, analyze::ConsideredLine& line) {
  const uint64_t bytes = line.bytes + other.bytes, count = line.count + other.count;
  const uint64_t most = line.most_bytes + other.most_bytes;
  const double growth = line.bytes_per_step + other.bytes_per_step;
  if (other.what < line.what) line = other;
  line.bytes = bytes;
  line.count = count;
  line.most_bytes = most;
  line.bytes_per_step = growth;
}

// Each line once, largest first.
void add_lines(const std::vector<analyze::ConsideredLine>& considered, LiveState& state) {
  std::map<PlaceKey, size_t> position;
  for (const analyze::ConsideredLine& line : considered) {
    const auto [at, is_new] = position.try_emplace(key_of(line.place), state.lines.size());
    if (is_new)
      state.lines.push_back({line, 0});
    else
      merge(line, state.lines[at->second].line);
  }
}

// Lines of a main process that runs are told as they are now; those of others, and of one that gave its memory back while it
// ended, as they were judged.
void add_live_bytes(const record::Record& record, LiveState& state) {
  std::map<PlaceKey, uint64_t> live;
  for (const analyze::SiteFigures& site : analyze::biggest_sites(record, kMostSites))
    live[key_of(site.place)] += site.live_bytes;
  const bool is_of_now = record.ledgers.size() == 1 && state.findings.program.is_running;
  for (report::LiveLine& line : state.lines) {
    const auto found = live.find(key_of(line.line.place));
    line.live_bytes = found == live.end() ? line.line.bytes : found->second;
    if (!is_of_now) line.live_bytes = std::max(line.live_bytes, line.line.bytes);
    line.line.most_bytes = std::max(line.line.most_bytes, line.live_bytes);
  }
}

void add_processes(const record::Record& record, const std::string& directory, LiveState& state) {
  const record::Placement placement = record::read_placement(directory);
  const std::optional<int> main = analyze::main_process(record);
  for (const auto& [index, ledger] : record.ledgers) {
    const record::ProcessOutcome& process = record.outcome.processes[static_cast<size_t>(index)];
    const uint64_t live = ledger.header().live_bytes.load();
    const ledger::Header& h = ledger.header();
    state.processes.push_back({process.pid, live, process.resident.total,
                               h.own_bytes.load() + h.adapter_bytes.load(),
                               placement.rank_of(process.ledger)});
    if (main == index) state.resident_bytes = process.resident.total;
  }
  std::stable_sort(state.processes.begin(), state.processes.end(),
                   [](const auto& a, const auto& b) { return a.live_bytes > b.live_bytes; });
}

// Neither the terminal's keys nor its size are the business of these threads.
void start_thread(void (*work)(const std::shared_ptr<void>&), std::shared_ptr<void> with) {
  sigset_t all, before;
  sigfillset(&all);
  for (int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) sigdelset(&all, signal);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  std::thread(work, std::move(with)).detach();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace

Result<LiveState> Looker::look() {
  const nanoseconds began = processor_time_of_thread();
  seen_ = file_state();
  Result<LiveState> state = judged();
  cost_ = processor_time_of_thread() - began;
  if (!state) seen_.reset();
  return state;
}

Result<LiveState> Looker::judged() {
  Result<record::Record> record = record::read_record(directory_);
  if (!record) return record.error();
  if (record->ledgers.empty() && !record->unreadable.empty())
    return Error{record->unreadable.front(), 2};
  record::RunOutcome& outcome = record->outcome;
  if (!outcome.is_complete() && !is_still_there(outcome)) outcome.is_end_unseen = true;
  if (!outcome.is_complete()) {
    if (!symbols_) symbols_ = record->symbols;
    record->symbols = symbols_;
  }
  LiveState state;
  state.findings = analyze::judge(*record, {});
  state.cost_so_far = std::exchange(state.findings.cost, {});  // is known when the run has ended
  report::add_source_text(*record->sources, state.findings);
  state.directory = outcome.directory;
  state.pid = outcome.main_pid;
  state.is_complete = outcome.is_complete() || outcome.is_end_unseen;
  state.seconds = outcome.seconds;
  state.started_ns = outcome.started_ns;
  state.live_bytes = state.findings.live_bytes;
  add_lines(state.findings.considered, state);
  add_live_bytes(*record, state);
  add_processes(*record, directory_, state);
  state.moments = outcome.moments;
  outcome_ = std::move(outcome);
  return state;
}

std::optional<Looker::FileState> Looker::file_state() const {
  struct stat info{};
  if (stat((directory_ + "/" + record::kRunFile).c_str(), &info) != 0) return std::nullopt;
  return FileState{info.st_ino, info.st_mtim.tv_sec, info.st_mtim.tv_nsec};
}

// If the supervisor was killed with its program, the record does not change, and yet the program is gone.
bool Looker::has_news() const {
  if (!seen_ || file_state() != seen_) return true;
  return !outcome_.is_complete() && !outcome_.is_end_unseen && !is_still_there(outcome_);
}

struct LiveWatch::Shared {
  explicit Shared(Looker first) : looker(std::move(first)) {}
  ~Shared() { close(event); }

  void tell(LiveNews told);
  bool rest(nanoseconds pause);
  void watch();
  bool look();
  void ask();
  void make_page();

  Looker looker;            // of the thread that watches
  uint64_t started_ns = 0;  // of the run that is watched
  int event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  int pid = 0;  // asked for a snapshot

  std::mutex lock;  // of what follows
  std::condition_variable changed;
  LiveNews news;
  bool is_over = false, is_asking = false, is_hurried = false, is_making_page = false;
};

void LiveWatch::Shared::tell(LiveNews told) {
  std::lock_guard guard(lock);
  if (told.state) news.state = std::move(told.state);
  if (!told.notice.empty()) news.notice = std::move(told.notice);
  if (!told.trouble.empty()) news.trouble = std::move(told.trouble);
  const uint64_t one = 1;
  (void)!write(event, &one, sizeof one);
}

// False: nobody watches any more.
bool LiveWatch::Shared::rest(nanoseconds pause) {
  std::unique_lock guard(lock);
  changed.wait_for(guard, pause, [&] { return is_over || is_hurried; });
  is_hurried = false;
  return !is_over;
}

void LiveWatch::Shared::watch() {
  setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)), kNice);
  bool goes_on = true;
  while (goes_on && rest(pause_after(looker.cost()))) {
    try {
      goes_on = !looker.has_news() || look();
    } catch (const std::exception& error) {
      return tell(
          {{}, "", fmt::format("the analysis failed ({}); this is the last", error.what())});
    }
  }
}

// False: there is nothing more to see. The record of a program that has ended does not change any more.
bool LiveWatch::Shared::look() {
  Result<LiveState> state = looker.look();
  std::error_code unknown;
  if (!state && !std::filesystem::exists(looker.directory(), unknown)) {
    tell({{}, "", "the record is gone; this is the last that was seen"});
    return false;
  }
  if (!state) return true;  // caught between two files; the next look sees it whole
  if (state->started_ns != started_ns) {
    tell({{}, "", "another run is recorded there now; this is the last of the one before"});
    return false;
  }
  const analyze::ProgramInfo& program = state->findings.program;
  const bool has_ended = !program.is_running && !program.is_end_unseen;
  tell({std::move(*state), "", ""});
  return !has_ended;
}

void LiveWatch::Shared::ask() {
  Result<AnsweredSnapshot> answer = ask_for_snapshot(pid);
  tell({{},
        answer ? fmt::format("a snapshot of process {} was taken", answer->pid)
               : "no snapshot: " + answer.error().message,
        ""});
  std::lock_guard guard(lock);
  is_asking = false;
  is_hurried = answer ? true : is_hurried;
  changed.notify_all();
}

void LiveWatch::Shared::make_page() {
  setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)), kNice);
  LiveNews news;
  try {
    Result<std::string> page = write_page_of(looker.directory(), "");
    if (page)
      news.notice = (open_in_browser(*page) ? "opened " : "the page is in ") + *page;
    else
      news.notice = "no page: " + page.error().message;
  } catch (const std::exception& error) {
    news.notice = fmt::format("no page: the analysis failed ({})", error.what());
  }
  tell(std::move(news));
  std::lock_guard guard(lock);
  is_making_page = false;
}

LiveWatch::LiveWatch(Looker looker, const LiveState& first)
    : shared_(std::make_shared<Shared>(std::move(looker))) {
  shared_->started_ns = first.started_ns;
  if (!first.findings.program.is_running && !first.findings.program.is_end_unseen) return;
  start_thread([](const std::shared_ptr<void>& with) { static_cast<Shared*>(with.get())->watch(); },
               shared_);
}

LiveWatch::~LiveWatch() {
  std::lock_guard guard(shared_->lock);
  shared_->is_over = true;
  shared_->changed.notify_all();
}

int LiveWatch::news() const { return shared_->event; }

LiveNews LiveWatch::take() {
  std::lock_guard guard(shared_->lock);
  uint64_t count;
  (void)!read(shared_->event, &count, sizeof count);
  return std::exchange(shared_->news, {});
}

bool LiveWatch::ask_snapshot(int pid) {
  {
    std::lock_guard guard(shared_->lock);
    if (std::exchange(shared_->is_asking, true)) return false;
    shared_->pid = pid;
  }
  start_thread([](const std::shared_ptr<void>& with) { static_cast<Shared*>(with.get())->ask(); },
               shared_);
  return true;
}

bool LiveWatch::ask_page() {
  {
    std::lock_guard guard(shared_->lock);
    if (std::exchange(shared_->is_making_page, true)) return false;
  }
  start_thread(
      [](const std::shared_ptr<void>& with) { static_cast<Shared*>(with.get())->make_page(); },
      shared_);
  return true;
}

}  // namespace tenure::cli
