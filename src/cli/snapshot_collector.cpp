#include "cli/snapshot_collector.h"

#include <fmt/core.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstring>

#include "ledger/image.h"
#include "ledger/protocol.h"
#include "ledger/snapshot_layout.h"

namespace tenure::cli {
namespace {

using Clock = std::chrono::steady_clock;
using ledger::SnapshotMessage;

constexpr size_t kMostPerProcess = 6;

bool is_of_this_user(int connection) {
  ucred peer{};
  socklen_t n = sizeof peer;
  return getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &n) == 0 &&
         (peer.uid == geteuid() || geteuid() == 0);
}

// The whole memfd; empty if it is no snapshot.
std::vector<char> read_all(int memfd) {
  struct stat info{};
  if (fstat(memfd, &info) != 0) return {};
  auto bytes = static_cast<uint64_t>(info.st_size);
  if (bytes < ledger::kSnapshotImage.least_raw_bytes ||
      bytes > ledger::kSnapshotImage.most_raw_bytes)
    return {};
  std::vector<char> raw(bytes);
  size_t at = 0;
  for (ssize_t n; at < raw.size() &&
                  (n = pread(memfd, raw.data() + at, raw.size() - at, static_cast<off_t>(at))) > 0;)
    at += static_cast<size_t>(n);
  bool is_whole = at == raw.size() && std::memcmp(raw.data(), ledger::kSnapshotMagic,
                                                  sizeof ledger::kSnapshotMagic) == 0;
  return is_whole ? raw : std::vector<char>{};
}

}  // namespace

SnapshotCollector::~SnapshotCollector() {
  for (const UnderWay& snapshot : under_way_) close(snapshot.connection);
  if (socket_ >= 0) close(socket_);
}

void SnapshotCollector::trouble(const std::string& sentence) {
  if (std::find(troubles_.begin(), troubles_.end(), sentence) == troubles_.end())
    troubles_.push_back(sentence);
}

Result<bool> SnapshotCollector::listen(const std::string& ledger_socket) {
  std::string name = ledger_socket + ledger::kSnapshotSocketSuffix;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path + 1, name.data(),
              std::min(name.size(), sizeof address.sun_path - 1));
  auto bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  socket_ = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (socket_ >= 0 && bind(socket_, reinterpret_cast<sockaddr*>(&address), bytes) == 0 &&
      ::listen(socket_, 256) == 0)
    return true;
  return Error{
      fmt::format("cannot open a socket for the program's snapshots: {}", std::strerror(errno)), 2};
}

bool SnapshotCollector::take_in() {
  size_t kept_before = keeps_;
  for (int c; (c = accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0;) {
    if (is_of_this_user(c))
      under_way_.push_back({c, ++begun_});
    else
      close(c);
  }
  std::erase_if(under_way_, [this](const UnderWay& snapshot) {
    if (receive(snapshot) == Answer::none_yet) return false;
    close(snapshot.connection);
    return true;
  });
  return keeps_ != kept_before;
}

SnapshotCollector::Answer SnapshotCollector::receive(const UnderWay& snapshot) {
  SnapshotMessage message{};
  iovec data{&message, sizeof message};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))];
  msghdr header{};
  header.msg_iov = &data;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof control;
  ssize_t n = recvmsg(snapshot.connection, &header, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  if (n < 0) return errno == EAGAIN || errno == EINTR ? Answer::none_yet : Answer::done;
  cmsghdr* c = CMSG_FIRSTHDR(&header);
  if (!c || c->cmsg_type != SCM_RIGHTS) {
    trouble("a snapshot of the program was begun and not finished");
    return Answer::done;
  }
  int memfd = -1;
  std::memcpy(&memfd, CMSG_DATA(c), sizeof memfd);
  if (n == sizeof message && message.version == ledger::kSnapshotVersion)
    keep(message.pid, snapshot.number, memfd);
  close(memfd);
  return Answer::done;
}

void SnapshotCollector::keep(int pid, int number, int memfd) {
  std::vector<char> raw = read_all(memfd);
  if (raw.empty()) return trouble("a snapshot of the program is damaged");
  std::string name = fmt::format("snapshot.{}.{}", pid, number);
  Result<bool> written = ledger::write_image(directory_ + "/" + name, raw, ledger::kSnapshotImage);
  if (!written) return trouble(written.error().message);
  ledger::SnapshotHeader header;
  std::memcpy(&header, raw.data(), sizeof header);
  std::map<int, Kept>& kept = kept_[pid];
  kept[number] = {name, header.reason == static_cast<uint32_t>(ledger::SnapshotReason::asked)};
  ++keeps_;
  if (kept.rbegin()->first == number) newest_ns_[pid] = header.mono_ns;
  if (kept.size() > kMostPerProcess) drop_one(kept);
}

// The oldest that nobody asked for, or the oldest of all; never the newest.
void SnapshotCollector::drop_one(std::map<int, Kept>& kept) {
  auto newest = std::prev(kept.end());
  auto oldest = std::find_if(kept.begin(), newest,
                             [](const auto& entry) { return !entry.second.is_asked_for; });
  if (oldest == newest) oldest = kept.begin();
  unlink((directory_ + "/" + oldest->second.name).c_str());
  kept.erase(oldest);
}

std::string SnapshotCollector::newest(int pid, uint64_t since_ns) const {
  auto names = kept_.find(pid);
  auto taken_ns = newest_ns_.find(pid);
  if (names == kept_.end() || taken_ns == newest_ns_.end() || taken_ns->second < since_ns)
    return "";
  return names->second.rbegin()->second.name;
}

void SnapshotCollector::wait(int seconds) {
  auto end = Clock::now() + std::chrono::seconds(seconds);
  take_in();
  while (!under_way_.empty() && Clock::now() < end) {
    std::vector<pollfd> watched;
    for (const UnderWay& snapshot : under_way_) watched.push_back({snapshot.connection, POLLIN, 0});
    poll(watched.data(), watched.size(), 100);
    take_in();
  }
  if (!under_way_.empty()) trouble("a snapshot of the program took too long and is missing");
}

void SnapshotCollector::list_in(std::vector<record::ProcessOutcome>* processes) const {
  for (const auto& [pid, kept] : kept_) {
    for (size_t i = processes->size(); i-- > 0;) {
      if ((*processes)[i].pid != pid) continue;
      (*processes)[i].snapshots.clear();
      for (const auto& [number, one] : kept) (*processes)[i].snapshots.push_back(one.name);
      break;  // the last of that pid: what it was before an exec held none of this
    }
  }
}

void SnapshotCollector::fill(record::Record* record) const {
  const auto& processes = record->outcome.processes;
  for (size_t i = 0; i < processes.size(); ++i) {
    for (const std::string& name : processes[i].snapshots) {
      Result<ledger::Snapshot> snapshot = ledger::Snapshot::open(directory_ + "/" + name);
      if (snapshot)
        record->snapshots[static_cast<int>(i)].push_back(std::move(*snapshot));
      else
        record->unreadable.push_back(snapshot.error().message);
    }
  }
}

}  // namespace tenure::cli
