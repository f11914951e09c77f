// inproc/boot/supervisor_link.h: asks the supervisor to keep a new ledger for this process.
// World: inside. Raw system calls only; leaves no descriptor behind.
#pragma once
#include <cstddef>
#include <cstdint>

#include "ledger/protocol.h"

namespace tenure::inproc {

// Reads the supervisor's address from the environment. False: this process is not traced.
bool find_supervisor() noexcept;

// The same for a process that was attached to: that is the socket's name. False: it is too long.
bool find_supervisor_at(const char* socket) noexcept;

// True in the process that `tenure run` itself started.
bool is_main_process() noexcept;

// A shared mapping of `bytes` whose other end the supervisor holds, so that it survives this process. nullptr: refused.
void* join_supervisor(uint64_t bytes) noexcept;

// For snapshots: a connection that says one is under way, or -1; and its delivery when it is done.
int announce_snapshot(int pid) noexcept;
bool deliver_snapshot(int connection, int pid, int memfd) noexcept;

// Waits for the answer: its bytes, 0 if there was none. Without the GIL: it may take as long as a walk of the heap.
size_t ask_supervisor(const ledger::Query& query, char* answer, size_t room) noexcept;

}  // namespace tenure::inproc
