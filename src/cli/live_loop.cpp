#include "cli/live_loop.h"

#include <fmt/core.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

#include "cli/output_file.h"
#include "cli/report_output.h"
#include "record/layout.h"

namespace tenure::cli {
namespace {

using report::FrameOptions;
using report::LiveState;

constexpr int kEscapePause = 50;    // milliseconds in which the rest of a key arrives
constexpr int kRedrawPause = 1000;  // milliseconds: the age of the figures changes
constexpr int kOutputPause = 250;   // milliseconds: what the program prints is shown so often

}  // namespace

double age_of_record(const std::string& directory) {
  struct stat info{};
  timespec now{};
  if (stat((directory + "/" + record::kRunFile).c_str(), &info) != 0) return 0;
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<double>(now.tv_sec - info.st_mtim.tv_sec) +
         static_cast<double>(now.tv_nsec - info.st_mtim.tv_nsec) / 1e9;
}

LiveLoop::LiveLoop(Looker looker, LiveState first, SharedTerminal shared)
    : directory_(looker.directory()),
      state_(std::move(first)),
      watch_(std::move(looker), state_),
      shared_(std::move(shared)) {
  view_.is_shared = is_shared();
}

FrameOptions LiveLoop::options() const {
  return {terminal_.size(), wants_color(STDOUT_FILENO), LiveTerminal::is_utf8(), false};
}

void LiveLoop::draw() {
  state_.age_seconds = age_of_record(directory_);
  if (is_shared()) {
    state_.output_file = shared_.output;
    state_.output = last_rows(shared_.output, report::kMostOutputRows);
  }
  terminal_.show(report::live_frame(state_, view_, options()));
}

void LiveLoop::take_news() {
  LiveNews news = watch_.take();
  if (news.state) state_ = std::move(*news.state);
  if (!news.notice.empty()) view_.notice = news.notice;
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

void LiveLoop::open_page() {
  view_.notice = watch_.ask_page() ? "making the page ..." : "the page is being made already";
}

// False: enough was seen.
bool LiveLoop::act_on(const std::vector<Key>& keys) {
  for (const Key& key : keys) {
    if (is_shared() && key.kind == Key::Kind::interrupt) {
      kill(0, SIGINT);  // as the terminal would: to the program, its supervisor and all beside them
      view_.notice = "Ctrl-C was sent to the program";
      continue;
    }
    const LiveAct act = apply(key, state_, report::lines_in_frame(state_, options()), view_);
    if (act == LiveAct::quit) return false;
    if (act == LiveAct::suspend) terminal_.suspend(is_shared());
    if (act == LiveAct::snapshot) ask_snapshot();
    if (act == LiveAct::page) open_page();
  }
  return true;
}

bool LiveLoop::take_keys() {
  std::string bytes;
  return terminal_.read(&bytes) && act_on(keys_.read(bytes));
}

bool LiveLoop::run() {
  pollfd watched[] = {{STDIN_FILENO, POLLIN, 0},
                      {watch_.news(), POLLIN, 0},
                      {terminal_.changes(), POLLIN, 0},
                      {shared_.end, POLLIN, 0}};
  const int redraw = is_shared() ? kOutputPause : kRedrawPause;
  for (;;) {
    draw();
    const int pause = keys_.is_waiting() ? kEscapePause : redraw;
    if (poll(watched, 4, pause) < 0) continue;  // a signal: the pipe tells which
    if (watched[3].revents) return false;
    if (watched[2].revents) terminal_.take_changes();
    if (watched[1].revents) take_news();
    const bool goes_on = watched[0].revents   ? take_keys()
                         : keys_.is_waiting() ? act_on(keys_.flush())
                                              : true;
    if (!goes_on) return true;
  }
}

}  // namespace tenure::cli
