// inproc/stacks/python_loops.cpp: decodes bytecode as it runs (specialised, instrumented, compiled)
// far enough to find its loops.
#include "inproc/stacks/python_loops.h"

#include "inproc/stacks/python_layout.h"

namespace tenure::inproc {
namespace {

struct OpcodeTable {
  int version;
  uint8_t entries[256];
};

constexpr OpcodeTable kOpcodeTables[] = {
#include "inproc/stacks/python_opcodes.inc"
};

const uint8_t* opcode_entries(int version) noexcept {
  for (const OpcodeTable& table : kOpcodeTables)
    if (table.version == version) return table.entries;
  return nullptr;
}

// --- one instruction after the other -------------------------------------------------------------

struct Instruction {
  int32_t start;   // of its first EXTENDED_ARG, which is where jumps to it go
  int32_t offset;  // of its own opcode
  int32_t next;    // behind its caches
  OpKind kind;
  uint32_t argument;
};

class Instructions {
 public:
  Instructions(const Bytecode& code, const uint8_t* entries, int32_t start = 0) noexcept
      : code_(code), entries_(entries), next_(start) {}

  // False at the end of the code, and at an opcode that should not be there.
  bool advance(Instruction* out) noexcept {
    const int32_t start = next_;
    uint32_t prefix = 0;
    while (next_ + 1 < code_.size) {
      const Unit unit = real_unit(next_);
      const OpKind kind = kind_of(unit.opcode);
      if (kind >= OpKind::hidden_by_line) return false;
      const int32_t offset = next_;
      next_ += 2 + 2 * (entries_[unit.opcode] & 15);
      prefix |= unit.argument;
      if (kind != OpKind::extended_arg) {
        *out = {start, offset, next_, kind, prefix};
        return true;
      }
      prefix <<= 8;
    }
    return false;
  }

  struct Unit {
    uint8_t opcode, argument;
  };

  // A line event may hide an instruction event, and that an executor.
  Unit real_unit(int32_t offset) const noexcept {
    const HiddenOpcodes& hidden = code_.hidden;
    const int32_t index = offset / 2;
    Unit unit{code_.bytes[offset], code_.bytes[offset + 1]};
    if (kind_of(unit.opcode) == OpKind::hidden_by_line && hidden.by_line)
      unit.opcode = hidden.by_line[index * hidden.by_line_stride];
    if (kind_of(unit.opcode) == OpKind::hidden_by_instruction && hidden.by_instruction)
      unit.opcode = hidden.by_instruction[index];
    if (kind_of(unit.opcode) == OpKind::hidden_by_executor && hidden.executors)
      unit = unit_before_executor(unit);
    return unit;
  }

 private:
  OpKind kind_of(uint8_t opcode) const noexcept { return OpKind(entries_[opcode] >> 4); }

  // _PyExecutorArray {int size; int capacity; _PyExecutorObject* items[]}; the object keeps what it
  // replaced: the same in 3.13 to 3.15.
  Unit unit_before_executor(Unit unit) const noexcept {
    constexpr int kItems = 8, kOpcode = 32, kArgument = 33;
    if (unit.argument >= load<int32_t>(code_.hidden.executors, 0)) return unit;
    const char* executor = load_pointer(code_.hidden.executors, kItems + 8 * unit.argument);
    return executor ? Unit{load<uint8_t>(executor, kOpcode), load<uint8_t>(executor, kArgument)}
                    : unit;
  }

  const Bytecode& code_;
  const uint8_t* entries_;
  int32_t next_;
};

constexpr int32_t kNoTarget = -1;

bool is_absolute(OpKind kind) noexcept {
  return kind == OpKind::jump_absolute || kind == OpKind::branch_absolute;
}

bool goes_on(OpKind kind) noexcept {
  return kind != OpKind::stop && kind != OpKind::jump_forward && kind != OpKind::jump_backward &&
         kind != OpKind::resume_backward && kind != OpKind::jump_absolute;
}

int32_t jump_target(const Bytecode& code, const Instruction& instruction) noexcept {
  const int64_t distance = int64_t(instruction.argument) *
                           (code.version >= 0x30a ? 2 : 1);  // bytes up to 3.9, then code units
  int64_t target = kNoTarget;
  switch (instruction.kind) {
    case OpKind::jump_forward:
    case OpKind::branch_forward:
    case OpKind::for_iter:
      target = instruction.next + distance;
      break;
    case OpKind::jump_backward:
    case OpKind::branch_backward:
    case OpKind::resume_backward:
      target = instruction.next - distance;
      break;
    case OpKind::jump_absolute:
    case OpKind::branch_absolute:
      target = distance;
      break;
    default:
      break;
  }
  return target >= 0 && target < code.size ? int32_t(target) : kNoTarget;
}

bool may_close_loop(OpKind kind) noexcept {
  return kind == OpKind::jump_backward || kind == OpKind::branch_backward || is_absolute(kind);
}

// --- exception table (3.11+) ---------------------------------------------------------------------

struct ProtectedRange {
  int32_t start, end, handler;  // bytes
};

// Entries of four numbers (start, length, handler, depth) in code units, six bits a byte, high ones
// first; bit 6: more follow.
class ProtectedRanges {
 public:
  explicit ProtectedRanges(const Bytecode& code) noexcept
      : next_(code.exceptions), end_(code.exceptions + code.exceptions_size) {}

  bool advance(ProtectedRange* out) noexcept {
    int64_t numbers[4];
    for (int64_t& number : numbers)
      if (!read(&number)) return false;
    *out = {int32_t(numbers[0] * 2), int32_t((numbers[0] + numbers[1]) * 2),
            int32_t(numbers[2] * 2)};
    return true;
  }

 private:
  bool read(int64_t* number) noexcept {
    *number = 0;
    while (next_ != end_) {
      const uint8_t byte = *next_++;
      *number = (*number << 6 | (byte & 63)) & 0x3fffffff;
      if (!(byte & 64)) return true;
    }
    return false;
  }

  const uint8_t* next_;
  const uint8_t* end_;
};

// --- is a backward jump a loop? ------------------------------------------------------------------

// 3.12 puts exception handlers at the end of the code, so that leaving a handler is a backward jump
// as well. It closes a loop only if every way to the jump leads through its target. That is looked
// at only where a handler makes it doubtful.
class WaysAround {
 public:
  WaysAround(const Bytecode& code, const uint8_t* entries, int32_t target) noexcept
      : code_(code), entries_(entries), target_(target) {}

  bool lead_to(const Instruction& jump) noexcept {
    if (code_.size > kLargestCode) return false;  // too large for the bit map: believe the jump
    mark(0);
    while (grown_ && !is_marked(jump.start)) {
      grown_ = false;
      follow_instructions();
      follow_exceptions();
    }
    return is_marked(jump.start);
  }

 private:
  static constexpr int32_t kLargestCode = 64 * 1024;  // bytes: a bit map of 4 KiB on the stack

  void mark(int32_t offset) noexcept {
    if (offset == target_ || offset < 0 || offset >= code_.size || is_marked(offset)) return;
    marks_[offset / 128] |= uint64_t(1) << (offset / 2 % 64);
    grown_ = true;
  }
  bool is_marked(int32_t offset) const noexcept {
    return marks_[offset / 128] >> (offset / 2 % 64) & 1;
  }

  void follow_instructions() noexcept {
    Instructions instructions(code_, entries_);
    for (Instruction instruction; instructions.advance(&instruction);) {
      if (!is_marked(instruction.start)) continue;
      if (goes_on(instruction.kind)) mark(instruction.next);
      mark(jump_target(code_, instruction));
    }
  }
  void follow_exceptions() noexcept {
    ProtectedRanges ranges(code_);
    for (ProtectedRange range; ranges.advance(&range);)
      if (any_marked(range.start, range.end)) mark(range.handler);
  }
  bool any_marked(int32_t start, int32_t end) const noexcept {
    for (int32_t offset = start; offset < end && offset < code_.size; offset += 2)
      if (is_marked(offset)) return true;
    return false;
  }

  const Bytecode& code_;
  const uint8_t* entries_;
  const int32_t target_;
  bool grown_ = false;
  uint64_t marks_[kLargestCode / 128] = {};
};

// A handler between target and jump that serves code before the target: the jump may only leave it.
bool is_doubtful(const Bytecode& code, int32_t target, int32_t jump) noexcept {
  ProtectedRanges ranges(code);
  for (ProtectedRange range; ranges.advance(&range);)
    if (range.start < target && range.handler > target && range.handler <= jump) return true;
  return false;
}

bool closes_loop(const Bytecode& code, const uint8_t* entries, const Instruction& jump,
                 int32_t target) noexcept {
  if (!is_doubtful(code, target, jump.offset)) return true;
  return !WaysAround(code, entries, target).lead_to(jump);
}

// The line of a `for` is that of the jump's target; a `while` tests at the bottom in 3.10 to 3.13,
// so its line is that of the jump: it is the smaller one in both cases. 3.7 marks the line of
// `while True` with SETUP_LOOP; in 3.8 and 3.9 it leaves no trace, and the first line inside it is
// what there is.
int32_t loop_line(const Bytecode& code, const uint8_t* entries, int32_t start,
                  int32_t jump) noexcept {
  if (start >= 2 && OpKind(entries[code.bytes[start - 2]] >> 4) == OpKind::loop_setup)
    return line_at(code.lines, start - 2);
  const int at_start = line_at(code.lines, start);
  const int at_jump = line_at(code.lines, jump);
  if (at_start == kNoLine || at_jump == kNoLine) return at_start == kNoLine ? at_jump : at_start;
  return at_start < at_jump ? at_start : at_jump;
}

}  // namespace

int find_loops(const Bytecode& code, LoopRange* out, int max) noexcept {
  const uint8_t* entries = opcode_entries(code.version);
  if (!entries) return 0;
  int count = 0;
  Instructions instructions(code, entries);
  for (Instruction instruction; count < max && instructions.advance(&instruction);) {
    if (!may_close_loop(instruction.kind)) continue;
    const int32_t target = jump_target(code, instruction);
    if (target == kNoTarget || target > instruction.offset ||
        !closes_loop(code, entries, instruction, target))
      continue;
    out[count++] = {target, instruction.offset,
                    loop_line(code, entries, target, instruction.offset)};
  }
  return count;
}

void copy_instructions(const Bytecode& code, uint8_t* out) noexcept {
  if (code.size <= 0) return;
  std::memcpy(out, code.bytes, size_t(code.size));
  const uint8_t* entries = opcode_entries(code.version);
  if (!entries) return;
  const Instructions instructions(code, entries);
  for (int32_t offset = 0; offset + 1 < code.size;) {
    const auto unit = instructions.real_unit(offset);
    out[offset] = unit.opcode;
    out[offset + 1] = unit.argument;
    offset += 2 + 2 * (entries[unit.opcode] & 15);
  }
}

int32_t for_exit(const Bytecode& code, int32_t start) noexcept {
  const uint8_t* entries = opcode_entries(code.version);
  if (!entries || start < 0) return kNoExit;
  Instructions instructions(code, entries, start);
  Instruction head;
  if (!instructions.advance(&head) || head.kind != OpKind::for_iter) return kNoExit;
  const int32_t target = jump_target(code, head);
  return target == kNoTarget ? kNoExit : target;
}

}  // namespace tenure::inproc
