// inproc/stacks/cfi.cpp: runs the little program of a table entry (DWARF 5, section 6.4) up to the address asked for.
// Only rbp and the return address are followed: nothing else is needed to find callers.
#include "inproc/stacks/cfi.h"

#include <cstring>

#include "inproc/stacks/eh_frame.h"

namespace tenure::inproc {

#if defined(__x86_64__)

namespace {

struct RegisterRule {
  enum How : uint8_t { kUnchanged, kAtCfa, kByExpression, kUndefined, kOther };
  How how = kUnchanged;
  int64_t offset = 0;
  Bytes expression{nullptr, nullptr};
};

struct FrameRules {
  bool cfa_is_expression = false;
  uint64_t cfa_register = kRsp;
  int64_t cfa_offset = 0;
  Bytes cfa_expression{nullptr, nullptr};
  RegisterRule rbp, return_address;
};

// Runs call frame instructions until the address is reached.
class Interpreter {
 public:
  Interpreter(const Fde& fde, uintptr_t address)
      : fde_(fde), location_(fde.start), address_(address) {}

  bool run() {
    if (!run_program(fde_.cie.program)) return false;
    initial_ = now_;
    return run_program(fde_.program);
  }

  const FrameRules& rules() const { return now_; }

 private:
  static constexpr int kMaxRemembered = 8;

  bool run_program(Bytes program) {
    while (!program.is_empty() && location_ <= address_) {
      if (!execute(program.take<uint8_t>(), program)) return false;
    }
    return program.is_intact;
  }

  bool execute(uint8_t opcode, Bytes& operands) {
    const uint8_t low = opcode & 0x3f;
    switch (opcode & 0xc0) {
      case 0x40:
        return advance(low);
      case 0x80:
        return set(low, RegisterRule::kAtCfa,
                   static_cast<int64_t>(operands.take_uleb()) * fde_.cie.data_factor);
      case 0xc0:
        return restore(low);
      default:
        return execute_extended(low, operands);
    }
  }

  // Longer than usual: one line per instruction of the standard reads better than any split of them.
  bool execute_extended(uint8_t opcode, Bytes& operands) {
    const int64_t factor = fde_.cie.data_factor;
    const auto uleb = [&] { return operands.take_uleb(); };
    // clang-format off
    switch (opcode) {
      case 0x00: return true;                                                    // nop
      case 0x01: location_ = operands.take_pointer(fde_.cie.pointer_encoding); return true;
      case 0x02: return advance(operands.take<uint8_t>());
      case 0x03: return advance(operands.take<uint16_t>());
      case 0x04: return advance(operands.take<uint32_t>());
      case 0x05: { const auto r = uleb(); return set(r, RegisterRule::kAtCfa, static_cast<int64_t>(uleb()) * factor); }
      case 0x06: return restore(uleb());
      case 0x07: return set(uleb(), RegisterRule::kUndefined);
      case 0x08: return set(uleb(), RegisterRule::kUnchanged);
      case 0x09: { const auto r = uleb(); uleb(); return set(r, RegisterRule::kOther); }          // in another register
      case 0x0a: return remember();
      case 0x0b: return recall();
      case 0x0c: { const auto r = uleb(); return set_cfa(r, static_cast<int64_t>(uleb())); }
      case 0x0d: return set_cfa(uleb(), now_.cfa_offset);
      case 0x0e: return set_cfa(now_.cfa_register, static_cast<int64_t>(uleb()));
      case 0x0f: now_.cfa_is_expression = true; now_.cfa_expression = operands.take_block(uleb()); return true;
      case 0x10: { const auto r = uleb(); return set(r, RegisterRule::kByExpression, 0, operands.take_block(uleb())); }
      case 0x11: { const auto r = uleb(); return set(r, RegisterRule::kAtCfa, operands.take_sleb() * factor); }
      case 0x12: { const auto r = uleb(); return set_cfa(r, operands.take_sleb() * factor); }
      case 0x13: return set_cfa(now_.cfa_register, operands.take_sleb() * factor);
      case 0x14: case 0x15: { const auto r = uleb(); uleb(); return set(r, RegisterRule::kOther); }  // is CFA + offset
      case 0x16: { const auto r = uleb(); operands.take_block(uleb()); return set(r, RegisterRule::kOther); }
      case 0x2e: uleb(); return true;                                            // GNU_args_size
      case 0x2f: { const auto r = uleb(); return set(r, RegisterRule::kAtCfa, -static_cast<int64_t>(uleb()) * factor); }
      default: return false;
    }
    // clang-format on
  }

  bool advance(uint64_t steps) {
    location_ += steps * fde_.cie.code_factor;
    return true;
  }

  static RegisterRule* rule_in(FrameRules& rules, uint64_t number) {
    if (number == kRbp) return &rules.rbp;
    return number == kReturnAddress ? &rules.return_address : nullptr;
  }

  bool set(uint64_t number, RegisterRule::How how, int64_t offset = 0,
           Bytes expression = {nullptr, nullptr}) {
    if (RegisterRule* rule = rule_in(now_, number)) *rule = {how, offset, expression};
    return true;
  }

  bool restore(uint64_t number) {
    if (RegisterRule* rule = rule_in(now_, number)) *rule = *rule_in(initial_, number);
    return true;
  }

  bool set_cfa(uint64_t number, int64_t offset) {
    now_.cfa_is_expression = false;
    now_.cfa_register = number;
    now_.cfa_offset = offset;
    return true;
  }

  bool remember() {
    if (remembered_count_ == kMaxRemembered) return false;
    remembered_[remembered_count_++] = now_;
    return true;
  }

  bool recall() {
    if (remembered_count_ == 0) return false;
    now_ = remembered_[--remembered_count_];
    return true;
  }

  const Fde& fde_;
  uintptr_t location_;
  uintptr_t address_;
  FrameRules now_, initial_;
  FrameRules remembered_[kMaxRemembered];
  int remembered_count_ = 0;
};

// "register + offset", the start of every expression we know. -1 if it is not rbp or rsp.
int take_based_operand(Bytes& expression, int64_t* offset) {
  constexpr uint8_t kBreg0 = 0x70;
  const auto opcode = expression.take<uint8_t>();
  if (opcode != kBreg0 + kRbp && opcode != kBreg0 + kRsp) return -1;
  *offset = expression.take_sleb();
  return opcode - kBreg0;
}

// The rule of procedure linkage tables: rsp + 8, and 8 more in the later instructions of each 16-byte slot.
bool is_linkage_table(const Bytes& rest, uint8_t* threshold) {
  constexpr uint8_t kLit0 = 0x30;
  constexpr uint8_t kBefore[] = {0x80, 0x00, 0x3f, 0x1a};  // rip + 0, 15, and
  constexpr uint8_t kAfter[] = {0x2a, 0x33, 0x24, 0x22};   // >=, 3, shift left, plus
  if (rest.end - rest.at != sizeof kBefore + 1 + sizeof kAfter) return false;
  *threshold = static_cast<uint8_t>(rest.at[sizeof kBefore] - kLit0);
  return *threshold < 16 && std::memcmp(rest.at, kBefore, sizeof kBefore) == 0 &&
         std::memcmp(rest.at + sizeof kBefore + 1, kAfter, sizeof kAfter) == 0;
}

bool set_cfa_by_expression(Bytes expression, uintptr_t address, CfiRow* row) {
  constexpr uint8_t kDeref = 0x06;
  int64_t offset = 0;
  const int base = take_based_operand(expression, &offset);
  if (base < 0 || offset != static_cast<int32_t>(offset)) return false;
  row->cfa_offset = static_cast<int32_t>(offset);
  if (expression.end - expression.at == 1 && *expression.at == kDeref) {
    row->cfa = base == static_cast<int>(kRbp) ? CfaRule::kAtFramePointer : CfaRule::kAtStackPointer;
    return true;
  }
  uint8_t threshold = 0;
  if (base != static_cast<int>(kRsp) || !is_linkage_table(expression, &threshold)) return false;
  row->cfa = CfaRule::kStackPointer;
  if ((address & 15) >= threshold) row->cfa_offset += 8;
  return true;
}

bool set_cfa(const FrameRules& rules, uintptr_t address, CfiRow* row) {
  if (rules.cfa_is_expression) return set_cfa_by_expression(rules.cfa_expression, address, row);
  if (rules.cfa_register != kRsp && rules.cfa_register != kRbp) return false;
  if (rules.cfa_offset != static_cast<int32_t>(rules.cfa_offset)) return false;
  row->cfa = rules.cfa_register == kRsp ? CfaRule::kStackPointer : CfaRule::kFramePointer;
  row->cfa_offset = static_cast<int32_t>(rules.cfa_offset);
  return true;
}

void set_frame_pointer(const RegisterRule& rule, CfiRow* row) {
  int64_t offset = rule.offset;
  row->frame_pointer = FramePointerRule::kLost;
  if (rule.how == RegisterRule::kUnchanged || rule.how == RegisterRule::kUndefined) {
    row->frame_pointer = FramePointerRule::kUnchanged;
  } else if (rule.how == RegisterRule::kAtCfa) {
    row->frame_pointer = FramePointerRule::kAtCfa;
  } else if (rule.how == RegisterRule::kByExpression) {
    Bytes expression = rule.expression;
    const bool is_known =
        take_based_operand(expression, &offset) == static_cast<int>(kRbp) && expression.is_empty();
    if (is_known) row->frame_pointer = FramePointerRule::kAtFramePointer;
  }
  if (offset != static_cast<int16_t>(offset)) row->frame_pointer = FramePointerRule::kLost;
  row->frame_pointer_offset = static_cast<int16_t>(offset);
}

CfiRow row_of(const FrameRules& rules, uintptr_t address) {
  CfiRow row{};
  if (rules.return_address.how == RegisterRule::kUndefined) {
    row.cfa = CfaRule::kOutermost;
    return row;
  }
  const bool has_usual_return =
      rules.return_address.how == RegisterRule::kAtCfa && rules.return_address.offset == -8;
  if (!has_usual_return || !set_cfa(rules, address, &row)) return CfiRow{};
  set_frame_pointer(rules.rbp, &row);
  return row;
}

}  // namespace

bool find_cfi_row(uintptr_t address, CfiRow* row, uintptr_t* function) noexcept {
  Fde fde;
  if (!find_fde(address, &fde)) return false;
  *function = fde.start;
  *row = CfiRow{};
  if (fde.cie.is_signal_frame) return true;
  Interpreter interpreter(fde, address);
  if (interpreter.run()) *row = row_of(interpreter.rules(), address);
  return true;
}

#else

// Other processors have other registers and rules: nothing is claimed to be known there.
bool find_cfi_row(uintptr_t, CfiRow*, uintptr_t*) noexcept { return false; }

#endif

}  // namespace tenure::inproc
