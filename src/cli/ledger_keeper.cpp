#include "cli/ledger_keeper.h"

#include <fmt/core.h>
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

#include "base/hash.h"
#include "cli/process_memory.h"
#include "ledger/image.h"
#include "ledger/protocol.h"
#include "ledger/writer.h"

namespace tenure::cli {
namespace {

using ledger::Header;

const Header& header_of(const void* memory) { return *static_cast<const Header*>(memory); }

bool is_same_user(int connection) {
  ucred peer{};
  socklen_t n = sizeof peer;
  return getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &n) == 0 &&
         (peer.uid == geteuid() || geteuid() == 0);
}

// The descriptor that came with the message, or -1.
int receive(int connection, ledger::JoinMessage* message) {
  iovec data{message, sizeof *message};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))];
  msghdr header{};
  header.msg_iov = &data;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof control;
  ssize_t n = recvmsg(connection, &header, MSG_CMSG_CLOEXEC);
  cmsghdr* c = CMSG_FIRSTHDR(&header);
  if (n <= 0 || !c || c->cmsg_type != SCM_RIGHTS) return -1;
  int fd = -1;
  std::memcpy(&fd, CMSG_DATA(c), sizeof fd);
  if (n == sizeof *message && message->version == ledger::kVersion) return fd;
  close(fd);
  return -1;
}

}  // namespace

LedgerKeeper::~LedgerKeeper() {
  for (Kept& kept : kept_) munmap(kept.memory, kept.bytes);
  if (socket_ >= 0) close(socket_);
}

Result<bool> LedgerKeeper::listen() {
  std::random_device random;
  name_ = fmt::format("tenure-{:08x}{:08x}{:08x}", random(), random(), random());
  socket_ = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path + 1, name_.data(), name_.size());
  auto bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name_.size());
  if (socket_ < 0 || bind(socket_, reinterpret_cast<sockaddr*>(&address), bytes) != 0 ||
      ::listen(socket_, 4096) != 0) {
    return Error{
        fmt::format("cannot open a socket for the program's ledgers: {}", std::strerror(errno)), 2};
  }
  return true;
}

void LedgerKeeper::trouble(const std::string& sentence) {
  if (std::find(troubles_.begin(), troubles_.end(), sentence) == troubles_.end())
    troubles_.push_back(sentence);
}

void LedgerKeeper::take_in() {
  for (int connection; (connection = accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC)) >= 0;) {
    if (is_same_user(connection)) take_one(connection);
    close(connection);
  }
}

void LedgerKeeper::take_one(int connection) {
  ledger::JoinMessage message{};
  int fd = receive(connection, &message);
  if (fd < 0) return trouble("a process of the program sent something that is no ledger");
  struct stat info{};
  size_t bytes = ledger::reserved_bytes();
  void* memory = MAP_FAILED;
  if (fstat(fd, &info) == 0 && static_cast<uint64_t>(info.st_size) == bytes)
    memory = mmap(nullptr, bytes, PROT_READ, MAP_SHARED, fd, 0);
  close(fd);
  if (memory == MAP_FAILED) return trouble("the ledger of a process could not be mapped");
  auto taken = std::count_if(processes_.begin(), processes_.end(),
                             [&](const auto& p) { return p.pid == message.pid; });
  std::string file = fmt::format("ledger.{}", message.pid);
  if (taken > 0) file += fmt::format(".{}", taken + 1);  // the same process after an exec
  kept_.push_back({memory, bytes});
  processes_.push_back({message.pid, file, {}, 0});
}

void LedgerKeeper::spool() {
  for (size_t i = 0; i < kept_.size(); ++i) {
    const Header& h = header_of(kept_[i].memory);
    if (std::memcmp(h.magic, ledger::kMagic, sizeof h.magic) != 0) continue;  // not formatted yet
    uint64_t state =
        mix(mix(h.tick.load(), h.live_bytes.load()), mix(h.state.load(), h.tables[9].used.load()));
    if (state == kept_[i].spooled_state) continue;
    Result<bool> written = ledger::write_image(directory_ + "/" + processes_[i].ledger,
                                               ledger::copy_used(kept_[i].memory));
    if (written)
      kept_[i].spooled_state = state;
    else
      trouble(written.error().message);
  }
}

void LedgerKeeper::look() {
  for (analyze::ProcessOutcome& process : processes_) {
    if (auto memory = resident_memory(process.pid)) {
      process.resident = *memory;
      process.live = live_bytes_of(process.pid);
    }
  }
}

uint64_t LedgerKeeper::live_bytes_of(int pid) const {
  for (size_t i = processes_.size(); i-- > 0;) {
    if (processes_[i].pid == pid) return header_of(kept_[i].memory).live_bytes.load();
  }
  return 0;
}

}  // namespace tenure::cli
