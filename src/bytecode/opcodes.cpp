#include "bytecode/opcodes.h"

namespace tenure::bytecode {
namespace {

struct OpcodeTable {
  int version;
  OpcodeEntry entries[256];
};

constexpr OpcodeTable kTables[] = {
#include "bytecode/opcodes.inc"
};

}  // namespace

const OpcodeEntry* opcodes_of(int version) {
  for (const OpcodeTable& table : kTables)
    if (table.version == version) return table.entries;
  return nullptr;
}

}  // namespace tenure::bytecode
