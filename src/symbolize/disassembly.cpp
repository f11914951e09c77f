// symbolize/disassembly.cpp: see the header.
#include "symbolize/disassembly.h"

#include <capstone/capstone.h>

#include <algorithm>
#include <set>

namespace tenure::symbolize {
namespace {

struct Instruction {
  enum Flow : uint8_t { kGoesOn, kMayBranch, kBranches, kJumpsAnywhere, kEnds };
  AddressRange bytes;
  Flow flow = kGoesOn;
  uint64_t target = 0;  // of kMayBranch and kBranches
};

bool is_in_group(const cs_insn& decoded, uint8_t group) {
  const cs_detail& detail = *decoded.detail;
  return std::find(detail.groups, detail.groups + detail.groups_count, group) !=
         detail.groups + detail.groups_count;
}

Instruction classify(const cs_insn& decoded) {
  Instruction instruction = {
      {decoded.address, decoded.address + decoded.size}, Instruction::kGoesOn, 0};
  if (decoded.id == 0) return instruction;  // bytes that are no instruction
  if (is_in_group(decoded, CS_GRP_RET) || decoded.id == X86_INS_UD2 || decoded.id == X86_INS_HLT) {
    instruction.flow = Instruction::kEnds;
  } else if (is_in_group(decoded, CS_GRP_JUMP)) {
    const cs_x86& operands = decoded.detail->x86;
    const bool is_direct = operands.op_count > 0 && operands.operands[0].type == X86_OP_IMM;
    const bool is_always = decoded.id == X86_INS_JMP;
    instruction.flow = !is_direct  ? Instruction::kJumpsAnywhere
                       : is_always ? Instruction::kBranches
                                   : Instruction::kMayBranch;
    if (is_direct) instruction.target = static_cast<uint64_t>(operands.operands[0].imm);
  }
  return instruction;
}

std::vector<Instruction> decode(std::span<const uint8_t> code, uint64_t address) {
  std::vector<Instruction> instructions;
  csh handle;
  if (cs_open(CS_ARCH_X86, CS_MODE_64, &handle) != CS_ERR_OK) return instructions;
  cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON);
  cs_option(handle, CS_OPT_SKIPDATA, CS_OPT_ON);
  cs_insn* decoded = cs_malloc(handle);
  const uint8_t* at = code.data();
  size_t left = code.size();
  while (cs_disasm_iter(handle, &at, &left, &address, decoded))
    instructions.push_back(classify(*decoded));
  cs_free(decoded, 1);
  cs_close(&handle);
  return instructions;
}

std::set<uint64_t> block_starts(const std::vector<Instruction>& instructions) {
  std::set<uint64_t> starts = {instructions.front().bytes.start};
  for (const Instruction& instruction : instructions) {
    if (instruction.flow == Instruction::kGoesOn) continue;
    starts.insert(instruction.bytes.end);
    if (instruction.target != 0) starts.insert(instruction.target);
  }
  return starts;
}

std::vector<BasicBlock> split(const std::vector<Instruction>& instructions) {
  const std::set<uint64_t> starts = block_starts(instructions);
  std::vector<BasicBlock> blocks;
  for (const Instruction& instruction : instructions) {
    if (starts.contains(instruction.bytes.start))
      blocks.push_back({instruction.bytes, 0, {}, false, false});
    blocks.back().code.end = instruction.bytes.end;
    blocks.back().last = instruction.bytes.start;
  }
  return blocks;
}

size_t block_starting_at(const std::vector<BasicBlock>& blocks, uint64_t address) {
  const auto found = std::lower_bound(
      blocks.begin(), blocks.end(), address,
      [](const BasicBlock& block, uint64_t wanted) { return block.code.start < wanted; });
  return found != blocks.end() && found->code.start == address
             ? static_cast<size_t>(found - blocks.begin())
             : blocks.size();
}

void connect(std::vector<BasicBlock>& blocks, size_t from, const Instruction& last) {
  BasicBlock& block = blocks[from];
  const bool goes_on = last.flow == Instruction::kGoesOn || last.flow == Instruction::kMayBranch;
  if (goes_on && from + 1 < blocks.size()) block.successors.push_back(from + 1);
  block.ends_in_unknown_jump = last.flow == Instruction::kJumpsAnywhere;
  block.ends_in_branch =
      last.flow == Instruction::kBranches || last.flow == Instruction::kMayBranch;
  const size_t target =
      block.ends_in_branch ? block_starting_at(blocks, last.target) : blocks.size();
  if (target < blocks.size()) block.successors.push_back(target);
}

}  // namespace

std::vector<BasicBlock> blocks_of(std::span<const uint8_t> code, uint64_t address) {
  const std::vector<Instruction> instructions = decode(code, address);
  if (instructions.empty()) return {};
  std::vector<BasicBlock> blocks = split(instructions);
  for (const Instruction& instruction : instructions) {
    const auto after = std::upper_bound(
        blocks.begin(), blocks.end(), instruction.bytes.start,
        [](uint64_t wanted, const BasicBlock& block) { return wanted < block.code.start; });
    const auto number = static_cast<size_t>(after - blocks.begin()) - 1;
    if (blocks[number].last == instruction.bytes.start) connect(blocks, number, instruction);
  }
  return blocks;
}

}  // namespace tenure::symbolize
