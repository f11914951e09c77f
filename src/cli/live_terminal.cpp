#include "cli/live_terminal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace tenure::cli {
namespace {

// A screen of its own, no cursor, and rows that do not run over. The other way round at the end.
constexpr char kEnter[] = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[2J";
constexpr char kLeave[] = "\x1b[?7h\x1b[?25h\x1b[?1049l";

constexpr int kDeadly[] = {SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGSEGV,
                           SIGBUS,  SIGILL, SIGFPE, SIGABRT, SIGXCPU};

// What a signal handler needs.
termios g_before{};
std::atomic<bool> g_has_terminal{false};
int g_wake = -1;

bool has_room() {
  pollfd room{STDOUT_FILENO, POLLOUT, 0};
  return poll(&room, 1, 0) == 1 && (room.revents & POLLOUT);
}

// Called by handlers as well. Never waits: a terminal that takes no more output must not keep us from ending.
void give_back() {
  if (!g_has_terminal.exchange(false)) return;
  sigset_t stops, before;
  sigemptyset(&stops);
  sigaddset(&stops, SIGTTOU);
  pthread_sigmask(SIG_BLOCK, &stops, &before);
  if (has_room()) (void)!write(STDOUT_FILENO, kLeave, sizeof kLeave - 1);
  tcsetattr(STDIN_FILENO, TCSANOW, &g_before);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

// The signal then does what it does to any program.
void on_deadly(int signal) {
  give_back();
  struct sigaction action{};
  action.sa_handler = SIG_DFL;
  sigaction(signal, &action, nullptr);
  raise(signal);
}

void on_change(int) {
  const int before = errno;
  (void)!write(g_wake, "", 1);
  errno = before;
}

// Nobody's `nohup` is undone.
void handle(int signal, void (*handler)(int)) {
  struct sigaction action{}, old{};
  sigaction(signal, nullptr, &old);
  if (old.sa_handler == SIG_IGN) return;
  action.sa_handler = handler;
  sigaction(signal, &action, nullptr);
}

void write_all(std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = write(STDOUT_FILENO, text.data(), text.size());
    if (n < 0 && errno != EINTR) return;
    if (n > 0) text.remove_prefix(static_cast<size_t>(n));
  }
}

}  // namespace

bool LiveTerminal::is_possible() {
  const char* term = getenv("TERM");
  const bool is_dumb = !term || !*term || std::strcmp(term, "dumb") == 0;
  return !is_dumb && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

// By the variables, as the C library reads them: a locale that is not installed here still says what the terminal shows.
bool LiveTerminal::is_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = getenv(name);
    if (!value || !*value) continue;
    std::string locale;
    for (const char* c = value; *c; ++c) {
      if (*c != '-') locale += static_cast<char>(std::tolower(static_cast<unsigned char>(*c)));
    }
    return locale.find("utf8") != std::string::npos;
  }
  return false;
}

LiveTerminal::LiveTerminal() {
  int ends[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0) {
    changes_ = ends[0];
    g_wake = ends[1];
  }
  tcgetattr(STDIN_FILENO, &g_before);
  for (int signal : kDeadly) handle(signal, on_deadly);
  handle(SIGWINCH, on_change);
  handle(SIGCONT, on_change);
  enter();
}

LiveTerminal::~LiveTerminal() {
  give_back();
  for (int signal : {SIGWINCH, SIGCONT}) ::signal(signal, SIG_DFL);
  if (changes_ >= 0) close(changes_);
  if (g_wake >= 0) close(g_wake);
  g_wake = -1;
}

void LiveTerminal::enter() {
  termios keys = g_before;
  keys.c_lflag &= ~static_cast<tcflag_t>(ECHO | ICANON | ISIG | IEXTEN);
  keys.c_iflag &= ~static_cast<tcflag_t>(IXON | ICRNL | INLCR | ISTRIP);
  keys.c_cc[VMIN] = 0;
  keys.c_cc[VTIME] = 0;
  g_has_terminal = true;
  tcsetattr(STDIN_FILENO, TCSANOW, &keys);
  write_all(kEnter);
  shown_.clear();
}

void LiveTerminal::take_changes() {
  char bytes[64];
  while (::read(changes_, bytes, sizeof bytes) > 0) {
  }
  enter();  // stopped from outside, or of another size: all is drawn anew
}

report::LiveSize LiveTerminal::size() const {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0)
    return {};
  return {size.ws_col, size.ws_row};
}

void LiveTerminal::show(const std::vector<std::string>& rows) {
  std::string text;
  for (size_t at = 0; at < std::max(rows.size(), shown_.size()); ++at) {
    const std::string row = at < rows.size() ? rows[at] : "";
    const bool is_there = at < shown_.size() && shown_[at] == row;
    if (!is_there) text += fmt::format("\x1b[{};1H\x1b[2K{}", at + 1, row);
  }
  shown_ = rows;
  write_all(text);
}

bool LiveTerminal::read(std::string* bytes) {
  char buffer[256];
  const ssize_t n = ::read(STDIN_FILENO, buffer, sizeof buffer);
  if (n > 0) bytes->append(buffer, static_cast<size_t>(n));
  return n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN));
}

void LiveTerminal::suspend(bool all) {
  give_back();
  if (all)
    kill(0, SIGTSTP);
  else
    raise(SIGTSTP);
  enter();
}

}  // namespace tenure::cli
