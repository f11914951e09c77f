// Linked statically, so without Tenure's library: hands over a ledger with nothing in it and is killed. The first
// instants of any program look like this.
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "ledger/layout.h"
#include "ledger/protocol.h"
#include "ledger/writer.h"

namespace {

bool connect_to(int socket, const char* name) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path + 1, name, sizeof address.sun_path - 2);
  auto bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + std::strlen(name));
  return connect(socket, reinterpret_cast<sockaddr*>(&address), bytes) == 0;
}

bool send_with(int socket, tenure::ledger::JoinMessage message, int fd) {
  iovec data{&message, sizeof message};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof fd)] = {};
  msghdr header{};
  header.msg_iov = &data;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof control;
  cmsghdr* c = CMSG_FIRSTHDR(&header);
  c->cmsg_level = SOL_SOCKET;
  c->cmsg_type = SCM_RIGHTS;
  c->cmsg_len = CMSG_LEN(sizeof fd);
  std::memcpy(CMSG_DATA(c), &fd, sizeof fd);
  return sendmsg(socket, &header, 0) == sizeof message;
}

}  // namespace

int main() {
  int ledger = memfd_create("empty", MFD_CLOEXEC);
  int connection = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  bool is_sent = ftruncate(ledger, tenure::ledger::reserved_bytes()) == 0 &&
                 connect_to(connection, getenv(tenure::ledger::kSocketVariable)) &&
                 send_with(connection, {tenure::ledger::kVersion, getpid(), getppid()}, ledger);
  if (is_sent) raise(SIGKILL);
  return 1;
}
