#include "cli/live_run.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <utility>

#include "cli/live_loop.h"
#include "cli/output_file.h"
#include "record/layout.h"

namespace tenure::cli {
namespace {

constexpr int kFirstLookPause = 50;   // milliseconds between looks until there is a record to show
constexpr int kFollowPause = 100;     // milliseconds between two looks at what the program prints
constexpr size_t kRowsAtTheEnd = 20;  // of the output, left in the terminal
constexpr int kPatience = 500;        // times 10 ms, for the view to end

// False after so many milliseconds; true: the program has ended.
bool has_ended_within(int end, int milliseconds) {
  pollfd watched{end, POLLIN, 0};
  return poll(&watched, 1, milliseconds) > 0;
}

std::optional<report::LiveState> first_look(Looker& looker, int end) {
  for (;;) {
    Result<report::LiveState> state = looker.look();
    if (state && state->pid > 0) return std::move(*state);
    if (has_ended_within(end, kFirstLookPause)) return std::nullopt;
  }
}

// When the view was left, the program has the terminal as if there had been none: its output is copied as it comes.
void follow(const std::string& file, int end) {
  uint64_t from = start_of_last_rows(file, kRowsAtTheEnd);
  do from = copy_from(file, from);
  while (!has_ended_within(end, kFollowPause));
  copy_from(file, from);
}

// Ctrl-C is the program's, and reaches it from here while the view reads the keys.
void ignore_keys() {
  for (int signal : {SIGINT, SIGQUIT}) ::signal(signal, SIG_IGN);
}

[[noreturn]] void show_until(int end, const std::string& record, const std::string& file) {
  ignore_keys();
  Looker looker(record);
  bool is_left = false;
  if (std::optional<report::LiveState> first = first_look(looker, end)) {
    LiveLoop loop(std::move(looker), std::move(*first), {end, file});
    is_left = loop.run();
  }
  if (is_left)
    follow(file, end);
  else
    copy_from(file, start_of_last_rows(file, kRowsAtTheEnd));
  _exit(0);  // a look may be under way, which nobody waits for
}

}  // namespace

std::unique_ptr<LiveRun> LiveRun::start(const std::string& record) {
  if (!LiveTerminal::is_possible()) return nullptr;
  const std::string file = record + "/" + record::kOutputFile;
  const int output = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
  int ends[2];
  if (output < 0) return nullptr;
  std::unique_ptr<LiveRun> run(new LiveRun(file, output));
  if (pipe2(ends, O_CLOEXEC) != 0) return nullptr;
  run->end_ = ends[1];
  run->viewer_ = fork();
  if (run->viewer_ == 0) {
    close(ends[1]);  // when the supervisor is killed, the view ends too
    show_until(ends[0], record, file);
  }
  close(ends[0]);
  return run->viewer_ < 0 ? nullptr : std::move(run);
}

// It has the keys, so it must be gone before anything else is said. One that hangs is killed.
void LiveRun::end() {
  if (output_ >= 0) close(std::exchange(output_, -1));
  if (end_ >= 0) {
    (void)!write(end_, "", 1);
    close(std::exchange(end_, -1));
  }
  if (viewer_ <= 0) return;
  kill(viewer_, SIGCONT);
  for (int left = kPatience; waitpid(viewer_, nullptr, WNOHANG) == 0; --left) {
    if (left == 0) kill(viewer_, SIGTERM);  // which gives the terminal back
    if (left == -kPatience) kill(viewer_, SIGKILL);
    const timespec pause{0, 10'000'000};
    nanosleep(&pause, nullptr);
  }
  viewer_ = -1;
}

}  // namespace tenure::cli
