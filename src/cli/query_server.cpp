#include "cli/query_server.h"

#include <fmt/core.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

#include "analyze/heap/block_path.h"
#include "base/monotonic.h"
#include "ledger/snapshot_layout.h"
#include "report/block_path.h"

namespace tenure::cli {
namespace {

using Clock = std::chrono::steady_clock;
using ledger::Query;
using ledger::QueryKind;

constexpr auto kPatience = std::chrono::seconds(20);
constexpr int kPatienceOfAsker = 25000;  // milliseconds
constexpr auto kPatienceForParent = std::chrono::milliseconds(1500);
constexpr auto kPatienceForHolders =
    std::chrono::seconds(10);      // a record is worth reading without them
constexpr size_t kMostAsked = 16;  // processes

sockaddr_un address_of(const std::string& ledger_socket, socklen_t* bytes) {
  std::string name = ledger_socket + ledger::kQuerySocketSuffix;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  name.resize(std::min(name.size(), sizeof address.sun_path - 1));
  std::memcpy(address.sun_path + 1, name.data(), name.size());
  *bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  return address;
}

bool is_of_kind(const Query& query, QueryKind kind) {
  return query.kind == static_cast<uint32_t>(kind);
}

bool is_of_this_user(int connection) {
  ucred peer{};
  socklen_t n = sizeof peer;
  return getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &n) == 0 &&
         (peer.uid == geteuid() || peer.uid == 0 || geteuid() == 0);
}

void send_answer(int connection, char kind, std::string text) {
  text.insert(text.begin(), kind);
  if (text.size() > ledger::kLongestAnswer) text.resize(ledger::kLongestAnswer);
  (void)!send(connection, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

// The socket named in the environment a traced process was started with.
std::string socket_of(int pid) {
  std::ifstream file(fmt::format("/proc/{}/environ", pid));
  std::string start = std::string(ledger::kSocketVariable) + "=", entry;
  while (std::getline(file, entry, '\0')) {
    if (entry.starts_with(start)) return entry.substr(start.size());
  }
  return "";
}

std::string full_path(const std::string& path) {  // whoever asks may be in another folder
  std::error_code unknown;
  std::filesystem::path full = std::filesystem::absolute(path, unknown);
  return unknown ? path : full.string();
}

// The process itself and those below it, largest first: a server's parent waits while its workers hold what grows.
std::vector<int> want_snapshots(LedgerSpooler& ledgers, int pid) {
  std::vector<int> asked;
  if (ledgers.want_snapshot(pid)) asked.push_back(pid);
  for (int child : ledgers.processes_below(pid)) {
    if (asked.size() < kMostAsked && ledgers.want_snapshot(child)) asked.push_back(child);
  }
  return asked;
}

Error not_running(int pid) {
  return {fmt::format("process {} is not running under `tenure run`", pid), 2};
}

bool is_known(const LedgerSpooler& ledgers, int pid) {
  const auto& processes = ledgers.processes();
  return std::any_of(processes.begin(), processes.end(),
                     [&](const auto& process) { return process.pid == pid; });
}

// The answer's text.
Result<std::string> ask(int pid, QueryKind kind) {
  std::string name = socket_of(pid);
  if (name.empty()) return not_running(pid);
  socklen_t bytes;
  sockaddr_un address = address_of(name, &bytes);
  int fd = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  Query query{ledger::kSnapshotVersion, static_cast<uint32_t>(kind), pid, 0, 0, 0};
  std::string answer(ledger::kLongestAnswer, '\0');
  ssize_t n = -1;
  if (fd >= 0 && connect(fd, reinterpret_cast<sockaddr*>(&address), bytes) == 0 &&
      send(fd, &query, sizeof query, MSG_NOSIGNAL) == sizeof query) {
    pollfd watched{fd, POLLIN, 0};
    if (poll(&watched, 1, kPatienceOfAsker) == 1) n = recv(fd, answer.data(), answer.size(), 0);
  }
  if (fd >= 0) close(fd);
  if (n <= 0) return not_running(pid);
  answer.resize(static_cast<size_t>(n));
  if (answer[0] != ledger::kAnswered) return Error{answer.substr(1), 2};
  return answer.substr(1);
}

}  // namespace

QueryServer::~QueryServer() {
  for (const Waiting& waiting : waiting_) close(waiting.connection);
  if (socket_ >= 0) close(socket_);
}

Result<bool> QueryServer::listen(const std::string& ledger_socket) {
  socklen_t bytes;
  sockaddr_un address = address_of(ledger_socket, &bytes);
  socket_ = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (socket_ >= 0 && bind(socket_, reinterpret_cast<sockaddr*>(&address), bytes) == 0 &&
      ::listen(socket_, 64) == 0)
    return true;
  return Error{fmt::format("cannot open a socket for questions: {}", std::strerror(errno)), 2};
}

void QueryServer::take_in(LedgerSpooler& ledgers) {
  for (int c; (c = accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC)) >= 0;) {
    timeval patience{1, 0};
    setsockopt(c, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    Query query{};
    std::vector<int> asked{};
    bool is_one = is_of_this_user(c) && recv(c, &query, sizeof query, 0) == sizeof query &&
                  query.version == ledger::kSnapshotVersion;
    if (is_one && is_of_kind(query, QueryKind::record) && !is_known(ledgers, query.pid)) {
      send_answer(c, ledger::kNotAnswered, "that process has no ledger");
      is_one = false;
    }
    if (is_one && is_of_kind(query, QueryKind::snapshot)) {
      query.since_ns = monotonic_ns();
      asked = want_snapshots(ledgers, query.pid);
      if (asked.empty()) {
        send_answer(c, ledger::kNotAnswered, "that process has no ledger, or has ended");
        is_one = false;
      }
    }
    if (is_one)
      waiting_.push_back({c, query, std::move(asked), Clock::now()});
    else
      close(c);
  }
}

void QueryServer::answer(const SnapshotCollector& snapshots) {
  std::erase_if(waiting_, [&](const Waiting& waiting) {
    if (!try_answer(waiting, snapshots)) return false;
    close(waiting.connection);
    return true;
  });
}

bool QueryServer::is_record_wanted() const {
  return std::any_of(waiting_.begin(), waiting_.end(), [](const Waiting& waiting) {
    return is_of_kind(waiting.query, QueryKind::record);
  });
}

std::optional<std::string> QueryServer::answer_to(const Waiting& waiting,
                                                  const SnapshotCollector& snapshots) const {
  const Query& query = waiting.query;
  if (is_of_kind(query, QueryKind::snapshot)) {
    int pid = answering(waiting, snapshots);
    if (pid == 0) return std::nullopt;
    return fmt::format("{} {}", pid, full_path(directory_));
  }
  const std::string file = snapshots.newest(query.pid, query.since_ns);
  if (is_of_kind(query, QueryKind::record)) {
    bool has_waited = Clock::now() - waiting.asked_at >= kPatienceForHolders;
    if (query.since_ns != 0 && file.empty() && !has_waited) return std::nullopt;
    return full_path(directory_);
  }
  if (file.empty()) return std::nullopt;
  return who_holds(query, file);
}

bool QueryServer::try_answer(const Waiting& waiting, const SnapshotCollector& snapshots) const {
  if (std::optional<std::string> text = answer_to(waiting, snapshots)) {
    send_answer(waiting.connection, ledger::kAnswered, std::move(*text));
    return true;
  }
  if (Clock::now() - waiting.asked_at < kPatience) return false;
  send_answer(waiting.connection, ledger::kNotAnswered,
              is_of_kind(waiting.query, QueryKind::snapshot)
                  ? "the program has not come to a point where a snapshot can be taken: it "
                    "allocates nothing, or its main thread is in native code"
                  : "the snapshot took too long, so who holds this is not known");
  return true;
}

// 0: none yet. One that the asked process has started answers for it only when it has kept silent for a while.
int QueryServer::answering(const Waiting& waiting, const SnapshotCollector& snapshots) {
  for (int pid : waiting.asked) {
    bool is_its_turn =
        pid == waiting.query.pid || Clock::now() - waiting.asked_at >= kPatienceForParent;
    if (is_its_turn && !snapshots.newest(pid, waiting.query.since_ns).empty()) return pid;
  }
  return 0;
}

std::string QueryServer::who_holds(const Query& query, const std::string& file) const {
  Result<ledger::Snapshot> snapshot = ledger::Snapshot::open(directory_ + "/" + file);
  if (!snapshot) return snapshot.error().message;
  std::optional<uint32_t> buffer = analyze::buffer_at(*snapshot, query.address);
  if (!buffer)
    return "no holder was found: its memory is not tracked (small, or on another device), or only "
           "the expression itself holds it";
  analyze::HeapGraph heap(*snapshot);
  std::string text = report::block_path_text(analyze::path_to_block(heap, *buffer, program_), "");
  if (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

Result<AnsweredSnapshot> ask_for_snapshot(int pid) {
  Result<std::string> answer = ask(pid, QueryKind::snapshot);
  if (!answer) return answer.error();
  const size_t space = answer->find(' ');
  if (space == std::string::npos) return not_running(pid);
  return AnsweredSnapshot{std::atoi(answer->c_str()), answer->substr(space + 1)};
}

Result<std::string> ask_for_record(int pid) { return ask(pid, QueryKind::record); }

}  // namespace tenure::cli
