#include "cli/report_output.h"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "cli/stderr_output.h"

namespace tenure::cli {
namespace {

int terminal_width(int fd) {
  winsize size{};
  if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40)
    return size.ws_col < 140 ? size.ws_col : 140;
  return 100;
}

}  // namespace

bool wants_color(int fd) {
  const char* term = getenv("TERM");
  const char* no_color = getenv("NO_COLOR");
  return isatty(fd) && !(no_color && *no_color) && !(term && std::strcmp(term, "dumb") == 0);
}

report::TerminalOptions terminal_options(int fd, const record::Record& record) {
  report::TerminalOptions options;
  options.has_color = wants_color(fd);
  options.width = terminal_width(fd);
  options.directory = record.outcome.directory;
  return options;
}

bool write_asked(const std::string& path, const std::string& text) {
  if (path.empty()) return true;
  if (path == kStandardOutput)
    return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() &&
           std::fputc('\n', stdout) != EOF && std::fflush(stdout) == 0;
  std::ofstream file(path);
  file << text;
  if (file.flush()) return true;
  say_line(fmt::format("cannot write {}: {}", path, std::strerror(errno)));
  return false;
}

}  // namespace tenure::cli
