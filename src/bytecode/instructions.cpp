#include "bytecode/instructions.h"

#include "base/python_lines.h"

namespace tenure::bytecode {
namespace {

// Lines of offsets that only grow.
class Lines {
 public:
  explicit Lines(const Code& code)
      : ranges_(LineTable{line_format(code.version), code.lines.data(), code.lines.size(),
                          code.first_line}) {
    has_more_ = ranges_.advance();
  }
  int at(int32_t offset) {
    while (has_more_ && ranges_.end() <= offset) has_more_ = ranges_.advance();
    return has_more_ && ranges_.line() != kNoLine ? ranges_.line() : 0;
  }

 private:
  LineRanges ranges_;
  bool has_more_;
};

enum class Jump { none, forward, backward, absolute };

Jump jump_of(Op op, int version) {
  switch (op) {
    case Op::JUMP_ABSOLUTE:
    case Op::CONTINUE_LOOP:
    case Op::JUMP_IF_FALSE_OR_POP:
    case Op::JUMP_IF_TRUE_OR_POP:
      return version >= 0x30b ? Jump::forward : Jump::absolute;
    case Op::JUMP_IF_NOT_EXC_MATCH:
      return Jump::absolute;
    case Op::POP_JUMP_IF_FALSE:
    case Op::POP_JUMP_IF_TRUE:
      return version >= 0x30b ? Jump::forward : Jump::absolute;
    case Op::POP_JUMP_IF_NONE:
    case Op::POP_JUMP_IF_NOT_NONE:
    case Op::POP_JUMP_FORWARD_IF_FALSE:
    case Op::POP_JUMP_FORWARD_IF_TRUE:
    case Op::POP_JUMP_FORWARD_IF_NONE:
    case Op::POP_JUMP_FORWARD_IF_NOT_NONE:
    case Op::JUMP_FORWARD:
    case Op::FOR_ITER:
    case Op::SEND:
    case Op::SETUP_LOOP:
      return Jump::forward;
    case Op::POP_JUMP_BACKWARD_IF_FALSE:
    case Op::POP_JUMP_BACKWARD_IF_TRUE:
    case Op::POP_JUMP_BACKWARD_IF_NONE:
    case Op::POP_JUMP_BACKWARD_IF_NOT_NONE:
    case Op::JUMP_BACKWARD:
    case Op::JUMP_BACKWARD_NO_INTERRUPT:
      return Jump::backward;
    default:
      return Jump::none;
  }
}

}  // namespace

std::vector<Instruction> instructions_of(const Code& code) {
  const OpcodeEntry* opcodes = opcodes_of(code.version);
  std::vector<Instruction> found;
  if (!opcodes) return found;
  Lines lines(code);
  const auto size = static_cast<int32_t>(code.instructions.size());
  Instruction now;
  for (int32_t at = 0; at + 1 < size;) {
    const OpcodeEntry entry = opcodes[code.instructions[static_cast<size_t>(at)]];
    now.op = entry.op();
    now.argument = now.argument << 8 | code.instructions[static_cast<size_t>(at) + 1];
    now.offset = at;
    at = now.next = at + 2 + 2 * entry.caches();
    if (now.op == Op::EXTENDED_ARG) continue;
    now.line = lines.at(now.offset);
    found.push_back(now);
    now = {};
    now.start = at;
  }
  return found;
}

int32_t jump_target(const Code& code, const Instruction& instruction) {
  const int64_t distance = int64_t{instruction.argument} *
                           (code.version >= 0x30a ? 2 : 1);  // bytes up to 3.9, then code units
  int64_t target = kNoTarget;
  switch (jump_of(instruction.op, code.version)) {
    case Jump::none:
      break;
    case Jump::forward:
      target = instruction.next + distance;
      break;
    case Jump::backward:
      target = instruction.next - distance;
      break;
    case Jump::absolute:
      target = distance;
      break;
  }
  const auto size = static_cast<int64_t>(code.instructions.size());
  return target >= 0 && target < size ? static_cast<int32_t>(target) : kNoTarget;
}

}  // namespace tenure::bytecode
