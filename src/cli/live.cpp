// cli/live.cpp: `tenure live`: shows a running program until its user has seen enough.
#include <fmt/core.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "cli/live_keys.h"
#include "cli/live_terminal.h"
#include "cli/live_watch.h"
#include "cli/report_output.h"
#include "cli/running_record.h"
#include "cli/stderr_output.h"
#include "cli/verbs.h"
#include "record/layout.h"
#include "report/live_frame.h"
#include "report/verdict_sentence.h"

namespace tenure::cli {
namespace {

using report::FrameOptions;
using report::LiveState;
using report::LiveView;

constexpr int kEscapePause = 50;    // milliseconds in which the rest of a key arrives
constexpr int kRedrawPause = 1000;  // milliseconds: the age of the figures changes
constexpr int kPlainRows = 40;      // of a frame for a file

// How long ago the record was written.
double age_of(const std::string& directory) {
  struct stat info{};
  timespec now{};
  if (stat((directory + "/" + record::kRunFile).c_str(), &info) != 0) return 0;
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<double>(now.tv_sec - info.st_mtim.tv_sec) +
         static_cast<double>(now.tv_nsec - info.st_mtim.tv_nsec) / 1e9;
}

// The view as a loop: news, keys and changes of the terminal in, frames out.
class LiveLoop {
 public:
  LiveLoop(Looker looker, LiveState first)
      : directory_(looker.directory()),
        state_(std::move(first)),
        watch_(std::move(looker), state_) {}

  void run();
  const LiveState& state() const { return state_; }

 private:
  void draw();
  void take_news();
  bool take_keys();
  bool act_on(const std::vector<Key>& keys);
  void ask_snapshot();
  FrameOptions options() const;

  std::string directory_;
  LiveState state_;
  LiveView view_;
  LiveWatch watch_;
  LiveTerminal terminal_;
  KeyReader keys_;
};

FrameOptions LiveLoop::options() const {
  return {terminal_.size(), wants_color(STDOUT_FILENO), LiveTerminal::is_utf8(), false};
}

void LiveLoop::draw() {
  state_.age_seconds = age_of(directory_);
  terminal_.show(report::live_frame(state_, view_, options()));
}

void LiveLoop::take_news() {
  LiveNews news = watch_.take();
  if (news.state) state_ = std::move(*news.state);
  if (!news.snapshot.empty()) view_.notice = news.snapshot;
  if (!news.trouble.empty()) view_.lasting_notice = news.trouble;
}

void LiveLoop::ask_snapshot() {
  if (!state_.findings.program.is_running)
    view_.notice = "the program has ended; there is nothing to ask";
  else if (watch_.ask_snapshot(state_.pid))
    view_.notice = "asking the program for a snapshot ...";
  else
    view_.notice = "a snapshot is asked for already";
}

// False: enough was seen.
bool LiveLoop::act_on(const std::vector<Key>& keys) {
  for (const Key& key : keys) {
    const LiveAct act = apply(key, state_, report::lines_in_frame(state_, options()), view_);
    if (act == LiveAct::quit) return false;
    if (act == LiveAct::suspend) terminal_.suspend();
    if (act == LiveAct::snapshot) ask_snapshot();
  }
  return true;
}

bool LiveLoop::take_keys() {
  std::string bytes;
  return terminal_.read(&bytes) && act_on(keys_.read(bytes));
}

void LiveLoop::run() {
  pollfd watched[] = {
      {STDIN_FILENO, POLLIN, 0}, {watch_.news(), POLLIN, 0}, {terminal_.changes(), POLLIN, 0}};
  for (bool goes_on = true; goes_on;) {
    draw();
    const int pause = keys_.is_waiting() ? kEscapePause : kRedrawPause;
    if (poll(watched, 3, pause) < 0) continue;  // a signal: the pipe tells which
    if (watched[2].revents) terminal_.take_changes();
    if (watched[1].revents) take_news();
    if (watched[0].revents)
      goes_on = take_keys();
    else if (keys_.is_waiting())
      goes_on = act_on(keys_.flush());
  }
}

int print_frame(LiveState state, const std::string& directory) {
  state.age_seconds = age_of(directory);
  FrameOptions options{{100, kPlainRows}, false, LiveTerminal::is_utf8(), true};
  for (const std::string& row : report::live_frame(state, {}, options)) fmt::print("{}\n", row);
  return std::fflush(stdout) == 0 ? 0 : 2;
}

int fail(const Error& error) {
  say_line(error.message);
  return error.exit_code;
}

}  // namespace

int live(const LiveOptions& options) {
  Result<std::string> directory = record_meant(options.record);
  if (!directory) return fail(directory.error());
  Looker looker(*directory);
  Result<LiveState> first = looker.look();
  if (!first) return fail(first.error());
  if (options.is_once || !LiveTerminal::is_possible())
    return print_frame(std::move(*first), *directory);
  std::string last;
  {
    LiveLoop loop(std::move(looker), std::move(*first));
    loop.run();
    last = report::verdict_sentence(loop.state().findings, loop.state().directory);
  }
  fmt::print("tenure: {}\n", last);  // the screen of the view is gone: this stays
  std::fflush(stdout);
  std::_Exit(0);  // a look may be under way, which nobody waits for
}

}  // namespace tenure::cli
