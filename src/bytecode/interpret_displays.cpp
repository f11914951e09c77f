// bytecode/interpret_displays.cpp: lists, tuples, sets and dicts that are written out, filled by a comprehension, or unpacked;
// and what only changes the order of the stack.
#include "bytecode/interpreter.h"

namespace tenure::bytecode {

// A comprehension, or a display with a star, fills what it began empty.
// A comprehension has its iterator above what it makes; `[*a, b]` has nothing there.
void Interpreter::keep_append(const Instruction& i, ExpressionId item) {
  if (i.argument >= 2) facts_.appends.push_back({i.offset, item});
}

void Interpreter::fill_display(uint32_t depth, const std::vector<ExpressionId>& parts) {
  ExpressionId container = stack_.peek(depth);
  if (container == kNothing) return;
  Expression& e = facts_.expressions[container];
  if (e.kind != Kind::empty && e.kind != Kind::display) return;
  e.kind = Kind::display;
  e.parts.insert(e.parts.end(), parts.begin(), parts.end());
}

void Interpreter::unpack(uint32_t count) {
  ExpressionId value = stack_.pop();
  if (count > kMostUnpacked) return stack_.clear();
  const Expression& e = facts_[value];
  if (e.kind == Kind::display && e.parts.size() == count) {
    std::vector<ExpressionId> parts = e.parts;
    for (size_t k = parts.size(); k-- > 0;) push(parts[k]);
    return;
  }
  for (uint32_t k = 0; k < count; ++k) push_other({value});
}

bool Interpreter::build(const Instruction& i) {
  const uint32_t a = i.argument;
  switch (i.op) {
    case Op::BUILD_LIST:
    case Op::BUILD_SET:
    case Op::BUILD_TUPLE:
      push(make(a == 0 ? Kind::empty : Kind::display, stack_.pop_many(a)));
      return true;
    case Op::BUILD_MAP:
      push(make(a == 0 ? Kind::empty : Kind::display,
                stack_.pop_many(std::min<uint32_t>(a, 1u << 20) * 2)));
      return true;
    case Op::BUILD_CONST_KEY_MAP:
      stack_.pop();
      push(make(Kind::display, stack_.pop_many(a)));
      return true;
    case Op::BUILD_LIST_UNPACK:
    case Op::BUILD_TUPLE_UNPACK:
    case Op::BUILD_SET_UNPACK:
    case Op::BUILD_MAP_UNPACK:
    case Op::BUILD_TUPLE_UNPACK_WITH_CALL:
    case Op::BUILD_MAP_UNPACK_WITH_CALL:
    case Op::BUILD_STRING:
    case Op::BUILD_TEMPLATE:
      push_other(stack_.pop_many(i.op == Op::BUILD_TEMPLATE ? 2 : a));
      return true;
    case Op::BUILD_SLICE:
      push(make(Kind::slice, stack_.pop_many(a)));
      return true;
    case Op::BUILD_INTERPOLATION:
      push_other(stack_.pop_many(a & 1 ? 3 : 2));
      return true;
    case Op::FORMAT_VALUE:
      push_other(stack_.pop_many(a & 4 ? 2 : 1));
      return true;
    case Op::LIST_APPEND:
    case Op::SET_ADD: {
      ExpressionId part = stack_.pop();
      keep_append(i, part);
      fill_display(a, {part});
      return true;
    }
    case Op::MAP_ADD: {
      std::vector<ExpressionId> pair = stack_.pop_many(2);
      keep_append(i, pair.empty() ? kNothing : pair.back());
      fill_display(a, pair);
      return true;
    }
    case Op::LIST_EXTEND:
    case Op::SET_UPDATE:
    case Op::DICT_UPDATE:
    case Op::DICT_MERGE:
      stack_.pop();
      fill_display(a, {});
      return true;
    case Op::UNPACK_SEQUENCE:
      unpack(a);
      return true;
    case Op::UNPACK_EX: {
      ExpressionId value = stack_.pop();
      uint32_t count = (a & 0xff) + (a >> 8) + 1;
      if (count > kMostUnpacked) return stack_.clear(), true;
      for (uint32_t k = 0; k < count; ++k) push_other({value});
      return true;
    }
    default:
      return false;
  }
}

bool Interpreter::shuffle(const Instruction& i) {
  switch (i.op) {
    case Op::DUP_TOP:
      push(stack_.peek(1));
      return true;
    case Op::DUP_TOP_TWO:
      push(stack_.peek(2));
      push(stack_.peek(2));
      return true;
    case Op::COPY:
      push(stack_.peek(i.argument));
      return true;
    case Op::SWAP:
      stack_.swap(i.argument);
      return true;
    case Op::ROT_TWO:
      stack_.rotate(2);
      return true;
    case Op::ROT_THREE:
      stack_.rotate(3);
      return true;
    case Op::ROT_FOUR:
      stack_.rotate(4);
      return true;
    case Op::ROT_N:
      stack_.rotate(i.argument);
      return true;
    default:
      return false;
  }
}

}  // namespace tenure::bytecode
