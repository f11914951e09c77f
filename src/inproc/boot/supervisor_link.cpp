#include "inproc/boot/supervisor_link.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>

#include "inproc/os/sandbox.h"
#include "ledger/layout.h"
#include "ledger/protocol.h"
#include "ledger/snapshot_layout.h"

namespace tenure::inproc {
namespace {

sockaddr_un g_address;
socklen_t g_address_bytes;  // 0: no supervisor
int g_main_pid;
constexpr long kPatienceSeconds = 40;  // for an answer

void close_fd(long fd) { syscall(SYS_close, fd); }

template <class Message>
bool send_with(long socket_fd, Message message, int memfd) noexcept {
  iovec data{&message, sizeof message};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr header{};
  header.msg_iov = &data;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof control;
  cmsghdr* c = CMSG_FIRSTHDR(&header);
  c->cmsg_level = SOL_SOCKET;
  c->cmsg_type = SCM_RIGHTS;
  c->cmsg_len = CMSG_LEN(sizeof(int));
  memcpy(CMSG_DATA(c), &memfd, sizeof memfd);
  return syscall(SYS_sendmsg, socket_fd, &header, MSG_NOSIGNAL) ==
         static_cast<long>(sizeof message);
}

// A connection, or -1.
long connect_to(const sockaddr_un& address, socklen_t bytes) noexcept {
  if (is_sandboxed()) return -1;
  long fd = syscall(SYS_socket, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  timeval patience{2, 0};
  syscall(SYS_setsockopt, fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  if (syscall(SYS_connect, fd, &address, bytes) == 0) return fd;
  close_fd(fd);
  return -1;
}

// Beyond the program's own limit of file size the kernel would not refuse, but kill it with SIGXFSZ.
bool may_be_a_file_of(uint64_t bytes) noexcept {
  rlimit64 limit{};
  return syscall(SYS_prlimit64, 0L, RLIMIT_FSIZE, nullptr, &limit) == 0 && bytes <= limit.rlim_cur;
}

bool hand_over(int memfd) noexcept {
  long fd = connect_to(g_address, g_address_bytes);
  if (fd < 0) return false;
  bool ok = send_with(fd, ledger::JoinMessage{ledger::kVersion, getpid(), getppid()}, memfd);
  close_fd(fd);
  return ok;
}

// One of the supervisor's other sockets: a connection, or -1.
long connect_beside(const char* suffix) noexcept {
  sockaddr_un address = g_address;
  const size_t length = strlen(suffix);
  size_t used = g_address_bytes - offsetof(sockaddr_un, sun_path);
  if (!g_address_bytes || used + length > sizeof address.sun_path) return -1;
  memcpy(address.sun_path + used, suffix, length);
  return connect_to(address, static_cast<socklen_t>(g_address_bytes + length));
}

bool find_socket(const char* name) noexcept {
  const size_t length = strlen(name);
  if (length == 0 || length + 1 > sizeof g_address.sun_path) return false;
  g_address.sun_family = AF_UNIX;
  memcpy(g_address.sun_path + 1, name, length);
  g_address_bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + length);
  return true;
}

}  // namespace

bool find_supervisor() noexcept {
  const char* name = getenv(ledger::kSocketVariable);
  const char* main_pid = getenv(ledger::kMainPidVariable);
  g_main_pid = main_pid ? atoi(main_pid) : 0;
  return name && find_socket(name);
}

bool find_supervisor_at(const char* socket) noexcept {
  g_main_pid = getpid();
  return find_socket(socket);
}

bool is_main_process() noexcept { return g_main_pid == getpid(); }

void* join_supervisor(uint64_t bytes) noexcept {
  if (!g_address_bytes || is_sandboxed() || !may_be_a_file_of(bytes)) return nullptr;
  long memfd = syscall(SYS_memfd_create, "tenure-ledger", MFD_CLOEXEC);
  if (memfd < 0) return nullptr;
  void* memory = nullptr;
  if (syscall(SYS_ftruncate, memfd, bytes) == 0) {
    long p = syscall(SYS_mmap, nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memfd, 0L);
    if (p != -1) memory = reinterpret_cast<void*>(p);
  }
  if (memory && !hand_over(static_cast<int>(memfd))) {
    syscall(SYS_munmap, memory, bytes);
    memory = nullptr;
  }
  close_fd(memfd);
  return memory;
}

int announce_snapshot(int) noexcept {
  return static_cast<int>(connect_beside(ledger::kSnapshotSocketSuffix));
}

bool deliver_snapshot(int connection, int pid, int memfd) noexcept {
  return send_with(connection, ledger::SnapshotMessage{ledger::kSnapshotVersion, pid}, memfd);
}

size_t ask_supervisor(const ledger::Query& query, char* answer, size_t room) noexcept {
  long fd = connect_beside(ledger::kQuerySocketSuffix);
  if (fd < 0) return 0;
  timeval patience{kPatienceSeconds, 0};
  syscall(SYS_setsockopt, fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  long n = -1;
  if (syscall(SYS_sendto, fd, &query, sizeof query, MSG_NOSIGNAL, nullptr, 0) ==
      static_cast<long>(sizeof query)) {
    do n = syscall(SYS_recvfrom, fd, answer, room, 0, nullptr, nullptr);
    while (n < 0 && errno == EINTR);
  }
  close_fd(fd);
  return n > 0 ? static_cast<size_t>(n) : 0;
}

}  // namespace tenure::inproc
