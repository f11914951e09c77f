#include "cli/ledger_spooler.h"

#include <fmt/core.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <random>
#include <set>
#include <utility>

#include "base/hash.h"
#include "base/monotonic.h"
#include "cli/process_memory.h"
#include "ledger/image.h"
#include "ledger/protocol.h"
#include "ledger/writer.h"

namespace tenure::cli {
namespace {

using ledger::Header;

constexpr size_t kMostImageBytes = 64 << 20;  // that wait in memory for the analysis

const Header& header_of(const void* memory) { return *static_cast<const Header*>(memory); }

// A ledger that is not formatted yet has no magic; its figures mean nothing.
bool is_formatted(const void* memory) {
  return std::memcmp(header_of(memory).magic, ledger::kMagic, sizeof ledger::kMagic) == 0;
}

bool is_exiting(const void* memory) {
  using ledger::ProcessState;
  if (!memory || !is_formatted(memory)) return false;
  auto state = static_cast<ProcessState>(header_of(memory).state.load());
  return state == ProcessState::exiting || state == ProcessState::exited;
}

uint64_t state_of(const Header& h) {
  uint64_t state = mix(mix(h.tick.load(), h.live_bytes.load()), h.state.load());
  for (const ledger::TableInfo& table : h.tables) state = mix(state, table.used.load());
  return state;
}

// 0: not a process of this user.
pid_t peer_of(int connection) {
  ucred peer{};
  socklen_t n = sizeof peer;
  bool is_known = getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &n) == 0 &&
                  (peer.uid == geteuid() || geteuid() == 0);
  return is_known ? peer.pid : 0;
}

sockaddr_un address_of(const std::string& name, socklen_t* bytes) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  size_t length = std::min(name.size(), sizeof address.sun_path - 1);
  std::memcpy(address.sun_path + 1, name.data(), length);
  *bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + length);
  return address;
}

// The descriptor that came with the message; -1: none did; -2: the other side said nothing at all.
int receive(int connection, ledger::JoinMessage* message) {
  iovec data{message, sizeof *message};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))];
  msghdr header{};
  header.msg_iov = &data;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof control;
  timeval patience{
      1, 0};  // it connects and sends at once; one that was stopped in between must not stop us
  setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  ssize_t n = recvmsg(connection, &header, MSG_CMSG_CLOEXEC);
  if (n == 0) return -2;
  cmsghdr* c = CMSG_FIRSTHDR(&header);
  if (n < 0 || !c || c->cmsg_type != SCM_RIGHTS) return -1;
  int fd = -1;
  std::memcpy(&fd, CMSG_DATA(c), sizeof fd);
  if (n == sizeof *message && message->version == ledger::kVersion) return fd;
  close(fd);
  return -1;
}

}  // namespace

LedgerSpooler::~LedgerSpooler() {
  for (Kept& kept : kept_) {
    if (kept.memory) munmap(kept.memory, kept.bytes);
  }
  if (socket_ >= 0) close(socket_);
}

Result<bool> LedgerSpooler::listen() {
  std::random_device random;
  name_ = fmt::format("tenure-{:08x}{:08x}{:08x}", random(), random(), random());
  socket_ = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  socklen_t bytes;
  sockaddr_un address = address_of(name_, &bytes);
  if (socket_ < 0 || bind(socket_, reinterpret_cast<sockaddr*>(&address), bytes) != 0 ||
      ::listen(socket_, 4096) != 0) {
    return Error{
        fmt::format("cannot open a socket for the program's ledgers: {}", std::strerror(errno)), 2};
  }
  return true;
}

void LedgerSpooler::trouble(const std::string& sentence) {
  if (std::find(troubles_.begin(), troubles_.end(), sentence) == troubles_.end())
    troubles_.push_back(sentence);
}

void LedgerSpooler::take_in() {
  for (int connection; (connection = accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC)) >= 0;) {
    take_one(connection);
    close(connection);
  }
}

void LedgerSpooler::take_one(int connection) {
  pid_t pid = peer_of(connection);
  if (pid == 0) return;
  ledger::JoinMessage message{};
  int fd = receive(connection, &message);
  if (fd == -2) return;  // somebody only asked whether we are here
  if (fd < 0) return trouble("a process of the program sent something that is no ledger");
  struct stat info{};
  size_t bytes = ledger::reserved_bytes();
  void* memory = MAP_FAILED;
  if (fstat(fd, &info) == 0 && static_cast<uint64_t>(info.st_size) == bytes)
    memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (memory == MAP_FAILED) return trouble("the ledger of a process could not be mapped");
  int taken = 0;
  for (size_t i = 0; i < processes_.size(); ++i) {
    if (processes_[i].pid != pid) continue;
    ++taken;  // the same process after an exec
    kept_[i].is_gone = true;
  }
  std::string file = fmt::format("ledger.{}", pid);
  if (taken > 0) file += fmt::format(".{}", taken + 1);
  kept_.push_back({memory, bytes});
  processes_.push_back({.pid = pid, .ledger = file, .has_begun = false});
}

void LedgerSpooler::spool() {
  note_gone();
  for (size_t i = 0; i < kept_.size(); ++i) {
    if (kept_[i].memory) spool_one(i);
  }
}

void LedgerSpooler::spool_at_end() {
  note_gone();
  size_t room = kMostImageBytes;
  for (size_t i = 0; i < kept_.size(); ++i) {
    if (!kept_[i].memory) continue;
    std::vector<char> image = spool_one(i);
    if (kept_[i].memory || image.size() > room) continue;
    room -= image.size();
    kept_[i].last_image = std::move(image);
  }
}

// What was written; empty: nothing.
std::vector<char> LedgerSpooler::spool_one(size_t i) {
  Kept& kept = kept_[i];
  std::vector<char> image;
  if (!is_formatted(kept.memory)) {
    if (processes_[i].has_begun) give_up(i);
    return image;
  }
  uint64_t state = state_of(header_of(kept.memory));
  if (state != kept.spooled_state) {
    image = ledger::copy_used(kept.memory);
    if (image.empty()) {
      give_up(i);
      return image;
    }
    processes_[i].has_begun = true;
    Result<bool> written = ledger::write_image(file_of(i), image);
    if (!written) {
      trouble(written.error().message);
      return {};
    }
    kept.spooled_state = state;
  }
  if (kept.is_gone) unmap(kept);  // hundreds of short processes must not fill our own memory
  return image;
}

// What was written before is good, and all there will be.
void LedgerSpooler::give_up(size_t i) {
  trouble(fmt::format("process {} overwrote its ledger: what it did after that is not known",
                      processes_[i].pid));
  unmap(kept_[i]);
}

void LedgerSpooler::unmap(Kept& kept) {
  munmap(kept.memory, kept.bytes);
  kept.memory = nullptr;
}

void LedgerSpooler::note_gone() {
  for (size_t i = 0; i < kept_.size(); ++i) {
    if (!kept_[i].is_gone && kill(processes_[i].pid, 0) != 0 && errno == ESRCH)
      kept_[i].is_gone = true;
  }
}

void LedgerSpooler::look() {
  for (size_t i = 0; i < processes_.size(); ++i) {
    if (kept_[i].is_gone) continue;
    if (auto memory = resident_memory(processes_[i].pid)) {
      // Half taken apart it says nothing of the program.
      bool is_on_its_way_down =
          is_exiting(kept_[i].memory) && memory->total < processes_[i].resident.total;
      if (is_on_its_way_down) continue;
      processes_[i].resident = *memory;
      processes_[i].seen_ns = monotonic_ns();
      if (kept_[i].memory) processes_[i].live = header_of(kept_[i].memory).live_bytes.load();
    }
  }
}

void LedgerSpooler::fill(record::Record* record) {
  for (size_t i = 0; i < kept_.size(); ++i) {
    if (!processes_[i].has_begun) continue;  // killed while it joined: nothing was written
    const void* memory = kept_[i].memory;
    std::vector<char> image =
        memory ? ledger::copy_used(memory) : std::exchange(kept_[i].last_image, {});
    auto reader = image.empty() ? ledger::Reader::open(file_of(i))
                                : ledger::Reader::from_bytes(std::move(image), file_of(i));
    if (reader)
      record->ledgers.emplace(static_cast<int>(i), std::move(*reader));
    else
      record->unreadable.push_back(reader.error().message);
  }
}

// The only word of a ledger that is ours to write.
bool LedgerSpooler::want_snapshot(int pid) {
  for (size_t i = kept_.size(); i-- > 0;) {
    if (processes_[i].pid != pid || !kept_[i].memory || kept_[i].is_gone) continue;
    static_cast<ledger::Header*>(kept_[i].memory)->snapshots_wanted.fetch_add(1);
    return true;
  }
  return false;
}

std::vector<int> LedgerSpooler::processes_below(int pid) const {
  std::set<int> family{pid};
  std::vector<std::pair<uint64_t, int>> found;  // in the order they joined, so parents come first
  for (size_t i = 0; i < kept_.size(); ++i) {
    if (!kept_[i].memory || !is_formatted(kept_[i].memory)) continue;
    const Header& h = header_of(kept_[i].memory);
    if (!family.contains(h.parent_pid) || !family.insert(processes_[i].pid).second) continue;
    if (!kept_[i].is_gone) found.emplace_back(h.live_bytes.load(), processes_[i].pid);
  }
  std::sort(found.rbegin(), found.rend());
  std::vector<int> pids;
  for (const auto& [bytes, process] : found) pids.push_back(process);
  return pids;
}

uint64_t LedgerSpooler::live_bytes_of(int pid) const {
  for (size_t i = processes_.size(); i-- > 0;) {
    if (processes_[i].pid == pid && kept_[i].memory)
      return header_of(kept_[i].memory).live_bytes.load();
  }
  return 0;
}

std::vector<ForkedProcess> LedgerSpooler::forked() const {
  std::vector<ForkedProcess> found;
  for (size_t i = 0; i < processes_.size(); ++i) {
    const void* memory = kept_[i].memory;
    if (!memory || kept_[i].is_gone || !is_formatted(memory)) continue;
    const Header& h = header_of(memory);
    bool has_parent = std::any_of(processes_.begin(), processes_.end(),
                                  [&](const auto& other) { return other.pid == h.parent_pid; });
    if (has_parent) found.push_back({i, processes_[i].pid, h.tick.load()});
  }
  return found;
}

std::vector<LivingProcess> LedgerSpooler::living() const {
  std::vector<LivingProcess> found;
  for (size_t i = 0; i < processes_.size(); ++i) {
    const void* memory = kept_[i].memory;
    if (!memory || kept_[i].is_gone || !is_formatted(memory) || is_exiting(memory)) continue;
    const Header& h = header_of(memory);
    found.push_back({i,
                     processes_[i].pid,
                     memory,
                     {.tick = h.tick.load(),
                      .live = h.live_bytes.load(),
                      .small = h.small_bytes.load(),
                      .own = h.own_bytes.load()}});
  }
  return found;
}

bool is_someone_listening(const std::string& socket_name) {
  socklen_t bytes;
  sockaddr_un address = address_of(socket_name, &bytes);
  int fd = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  bool is_there = fd >= 0 && connect(fd, reinterpret_cast<sockaddr*>(&address), bytes) == 0;
  if (fd >= 0) close(fd);
  return is_there;
}

}  // namespace tenure::cli
