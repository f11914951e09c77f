// attach/attachment.h: Tenure's library in a process that nobody prepared: put in, switched on, and switched off again.
// World: beside the program. One thread. Each of the two stops the program for some milliseconds.
#pragma once
#include <cstdint>
#include <string>

#include "attach/target.h"
#include "base/result.h"

namespace tenure::attach {

struct Attachment {
  int pid = 0;
  int64_t part_at = 0;
  int64_t busy_at = 0;  // see ledger::AttachRequest
  uint64_t slots = 0;   // through which the program calls Tenure now
  double pause_ms = 0;  // the thread that was used stood so long; the others went on
};

// Loads `library` unless it is there, and has it join the supervisor that listens at `socket`.
Result<Attachment> attach_to(const Target& target, const std::string& library,
                             const std::string& socket);

// The program calls what it called before, and the library keeps nothing. Milliseconds that the whole program stood.
Result<double> detach_from(const Attachment& attachment);

// This process's sockets are made in the network of that one from now on.
Result<bool> enter_network_of(const Target& target);

}  // namespace tenure::attach
