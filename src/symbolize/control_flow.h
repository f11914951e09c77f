// symbolize/control_flow.h: the loops of a graph of basic blocks.
// World: offline. Pure: knows nothing of machines, files or lines.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "symbolize/elf_file.h"

namespace tenure::symbolize {

// Instructions that run one after the other. Blocks of a function are numbered in the order of their addresses; 0 is its entry.
struct BasicBlock {
  AddressRange code;
  uint64_t last = 0;               // address of the last instruction
  std::vector<size_t> successors;  // by number
  bool ends_in_branch = false;     // its successors other than the next block are reached by `last`
  bool ends_in_unknown_jump = false;
};

struct BlockLoop {
  size_t header = 0;           // where it is entered
  std::vector<size_t> blocks;  // by number, rising
  int depth = 0;               // 0: not inside another loop
};

// Every cycle, outer loops before the loops inside them. Found as strongly connected components, not by "a branch goes back and
// its target dominates it": compilers move unlikely code behind a function, from where it jumps back without being a loop, and
// after calls that never return the next instruction is no successor; both would hide or invent loops.
// Code that is only reached by exceptions or unknown jumps belongs to the loop it returns to.
std::vector<BlockLoop> find_loops(std::vector<BasicBlock> blocks);

}  // namespace tenure::symbolize
