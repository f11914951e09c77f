// symbolize/disassembly.h: the basic blocks of a piece of machine code (x86-64).
// World: offline. Pure.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "symbolize/control_flow.h"

namespace tenure::symbolize {

// Branches that leave the piece end a block without a successor there. Empty if the disassembler cannot be used.
std::vector<BasicBlock> blocks_of(std::span<const uint8_t> code, uint64_t address);

}  // namespace tenure::symbolize
