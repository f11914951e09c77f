// bytecode/snapshot_codes.h: the code objects of a snapshot, their names qualified.
// World: offline. Pure; what is returned refers to the snapshot.
#pragma once
#include "bytecode/code.h"
#include "ledger/snapshot_reader.h"

namespace tenure::bytecode {

std::vector<Code> codes_of(const ledger::Snapshot& snapshot);

}  // namespace tenure::bytecode
