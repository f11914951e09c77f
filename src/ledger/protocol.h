// ledger/protocol.h: how a traced process finds its supervisor and hands it a new ledger.
// World: both. Over a SOCK_SEQPACKET socket in the abstract namespace: one JoinMessage with one memfd, no answer.
#pragma once
#include <cstdint>

namespace tenure::ledger {

inline constexpr char kSocketVariable[] =
    "TENURE_SOCKET";  // name of the socket, without the leading NUL
inline constexpr char kMainPidVariable[] = "TENURE_MAIN_PID";  // the process `tenure run` started
inline constexpr char kPreloadVariable[] = "LD_PRELOAD";

struct JoinMessage {
  uint32_t version;  // kVersion of the ledger that follows
  int32_t pid;
  int32_t parent_pid;
};

}  // namespace tenure::ledger
