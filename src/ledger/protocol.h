// ledger/protocol.h: how a traced process finds its supervisor and hands it a new ledger.
// World: both. Over SOCK_SEQPACKET sockets in the abstract namespace. For a ledger: one JoinMessage with one memfd, no
// answer. For a snapshot, at a socket of its own: the connection says that one is under way; a SnapshotMessage with a
// memfd follows when it is done, or the connection ends without one.
#pragma once
#include <cstdint>

namespace tenure::ledger {

inline constexpr char kSocketVariable[] =
    "TENURE_SOCKET";  // name of the socket, without the leading NUL
inline constexpr char kMainPidVariable[] = "TENURE_MAIN_PID";  // the process `tenure run` started
inline constexpr char kPreloadVariable[] = "LD_PRELOAD";

inline constexpr char kSnapshotSocketSuffix[] = ".snapshots";  // behind the name of the other one

struct SnapshotMessage {
  uint32_t version;  // kSnapshotVersion of what follows
  int32_t pid;       // of the process it shows, as that one sees it
};

struct JoinMessage {
  uint32_t version;  // kVersion of the ledger that follows
  int32_t pid;
  int32_t parent_pid;
};

}  // namespace tenure::ledger
