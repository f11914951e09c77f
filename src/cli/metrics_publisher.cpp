#include "cli/metrics_publisher.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "cli/live_watch.h"
#include "cli/process_memory.h"
#include "cli/stderr_output.h"
#include "report/formats/openmetrics.h"

namespace tenure::cli {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr int kNice = 10;  // the program comes first
constexpr char kToStandardOutput[] = "-";
constexpr milliseconds kFirstLookPause{50};  // until the record is there
constexpr int kMostPort = 65535;
constexpr int kReaderPatience = 1;     // seconds that one reader may take
constexpr int kLastLookPatience = 10;  // seconds, once the program has ended

Result<int> listen_on(int port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const int yes = 1;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (fd >= 0) setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (fd >= 0 && bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
      ::listen(fd, 16) == 0)
    return fd;
  const int failure = errno;
  if (fd >= 0) close(fd);
  return Error{fmt::format("--metrics {}: the port cannot be opened: {}; choose another", port,
                           std::strerror(failure)),
               2};
}

std::string http_answer(const std::string& request, const std::string& text) {
  const bool is_known = request.starts_with("GET /metrics ") || request.starts_with("GET / ");
  const std::string body = is_known ? text : "the metrics are at /metrics\n";
  return fmt::format(
      "HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{}",
      is_known ? "200 OK" : "404 Not Found",
      is_known ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
               : "text/plain; charset=utf-8",
      body.size(), body);
}

// A reader that says nothing, or reads nothing, holds the others up for so long and no longer.
void set_patience(int connection) {
  const timeval patience{kReaderPatience, 0};
  setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
}

void send_all(int connection, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = send(connection, text.data(), text.size(), MSG_NOSIGNAL);
    if (n <= 0) return;
    text.remove_prefix(static_cast<size_t>(n));
  }
}

// Serves readers until the time has come; false: nobody wants more.
bool rest(const MetricsTarget& target, int over, milliseconds pause) {
  const auto end = std::chrono::steady_clock::now() + pause;
  for (;;) {
    const auto left =
        std::chrono::ceil<milliseconds>(end - std::chrono::steady_clock::now()).count();
    if (left <= 0) return true;
    pollfd watched[] = {{target.socket(), POLLIN, 0}, {over, 0, 0}};
    if (poll(watched, 2, static_cast<int>(std::min<int64_t>(left, 60'000))) < 0) return true;
    if (watched[1].revents) return false;
    if (watched[0].revents) target.serve();
  }
}

// Readable for the collector, which is another user: what the umask leaves of 0644. Its readers see the old text or the new one.
Result<bool> replace_file(const std::string& path, std::string_view text) {
  const std::string beside = path + ".new";
  unlink(beside.c_str());
  const int fd = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
  ssize_t n = 0;
  while (fd >= 0 && n >= 0 && !text.empty()) {
    n = write(fd, text.data(), text.size());
    text.remove_prefix(static_cast<size_t>(std::max<ssize_t>(n, 0)));
  }
  const bool is_whole = fd >= 0 && close(fd) == 0 && text.empty();
  if (is_whole && rename(beside.c_str(), path.c_str()) == 0) return true;
  const int failure = errno;
  unlink(beside.c_str());
  return Error{fmt::format("cannot write {}: {}", path, std::strerror(failure)), 2};
}

double own_seconds() { return static_cast<double>(own_processor_ns()) / 1e9; }

bool is_over(const report::LiveState& state) { return !state.findings.program.is_running; }

[[noreturn]] void be_publisher(pid_t parent, const std::string& record, MetricsTarget target,
                               int over) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_NAME, "tenure-metrics");
  setsid();  // the keys of the terminal are for the program
  setpriority(PRIO_PROCESS, 0, kNice);
  const int kept[] = {target.socket(), over};
  for (int fd = 0; fd < 1024; ++fd) {  // a pipe's reader must not wait for us
    if (std::find(std::begin(kept), std::end(kept), fd) == std::end(kept)) close(fd);
  }
  for (int fd = 0; fd < 3; ++fd) (void)open("/dev/null", O_RDWR);
  if (getppid() != parent) _exit(0);
  _exit(publish_metrics(record, std::move(target), over));
}

}  // namespace

Result<MetricsTarget> MetricsTarget::open(const std::string& asked) {
  MetricsTarget target;
  const bool is_number =
      !asked.empty() && asked.find_first_not_of("0123456789") == std::string::npos;
  if (is_number) {
    const int port = asked.size() <= 5 ? std::stoi(asked) : kMostPort + 1;
    if (port < 1 || port > kMostPort)
      return Error{fmt::format("--metrics {}: a port is a number from 1 to {}", asked, kMostPort),
                   2};
    Result<int> socket = listen_on(port);
    if (!socket) return socket.error();
    target.socket_ = *socket;
    return target;
  }
  std::error_code unknown;
  target.path_ = asked == kToStandardOutput ? asked : fs::absolute(asked, unknown).string();
  const fs::path folder = fs::path(target.path_).parent_path();
  if (asked.empty() || (!target.is_once() && (access(folder.c_str(), W_OK | X_OK) != 0 ||
                                              fs::is_directory(target.path_, unknown))))
    return Error{fmt::format("--metrics {}: no file can be written there; name a file in a folder "
                             "that is there, or a port",
                             asked),
                 2};
  return target;
}

MetricsTarget::MetricsTarget(MetricsTarget&& other) noexcept
    : path_(std::move(other.path_)),
      text_(std::move(other.text_)),
      socket_(std::exchange(other.socket_, -1)) {}

MetricsTarget::~MetricsTarget() {
  if (socket_ >= 0) close(socket_);
}

bool MetricsTarget::is_once() const { return path_ == kToStandardOutput; }

Result<bool> MetricsTarget::put(const std::string& text) {
  text_ = text;
  if (socket_ >= 0) return true;
  if (is_once()) return std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0;
  return replace_file(path_, text);
}

void MetricsTarget::serve() const {
  const int connection = accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
  if (connection < 0) return;
  set_patience(connection);
  char request[2048];
  const ssize_t n = recv(connection, request, sizeof request, 0);
  if (n > 0) send_all(connection, http_answer({request, static_cast<size_t>(n)}, text_));
  shutdown(connection, SHUT_WR);
  close(connection);
}

int publish_metrics(const std::string& record, MetricsTarget target, int over) {
  Looker looker(record);
  std::optional<report::LiveState> last;
  for (bool goes_on = true; goes_on;) {
    Result<report::LiveState> state = looker.look();
    if (state) {
      last = std::move(*state);
      const Result<bool> told = target.put(report::openmetrics(*last, own_seconds()));
      if (over < 0 && !told) say_line(told.error().message);
      if (over < 0 && (!told || target.is_once())) return told ? 0 : 2;
    } else if (over < 0 && !last) {
      say_line(state.error().message);
      return state.error().exit_code;
    }
    if (last && is_over(*last)) break;
    const auto pause = std::chrono::duration_cast<milliseconds>(pause_after(looker.cost()));
    goes_on = rest(target, over, last ? pause : kFirstLookPause);
  }
  // The run is over: as it ended, if the record is still there.
  if (Result<report::LiveState> state = looker.look()) last = std::move(*state);
  if (!last) return 0;
  last->findings.program.is_running = false;
  (void)target.put(report::openmetrics(*last, own_seconds()));
  return 0;
}

void MetricsPublisher::start(const std::string& record, MetricsTarget target) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return;
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ == 0) {
    close(ends[1]);
    be_publisher(parent, record, std::move(target), ends[0]);
  }
  close(ends[0]);
  over_ = ends[1];
}

void MetricsPublisher::end() {
  if (over_ >= 0) close(std::exchange(over_, -1));
}

// It is not waited for without end: what it has told so far stays.
void MetricsPublisher::finish() {
  end();
  if (pid_ <= 0) return;
  rusage usage{};
  for (int i = 0; i < kLastLookPatience * 100; ++i) {
    if (wait4(pid_, nullptr, WNOHANG, &usage) == pid_) {
      pid_ = -1;
      break;
    }
    poll(nullptr, 0, 10);
  }
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    wait4(pid_, nullptr, 0, &usage);
  }
  pid_ = -1;
  processor_ns_ = tenure::cli::processor_ns(usage);
}

}  // namespace tenure::cli
