// analyze/memory_parts.h: every byte of resident memory in one part; the parts add up.
// World: offline. Pure.
#pragma once
#include "analyze/findings.h"
#include "analyze/record.h"

namespace tenure::analyze {

MemoryParts memory_parts(const ledger::Reader& ledger, const ProcessOutcome& process);

}  // namespace tenure::analyze
