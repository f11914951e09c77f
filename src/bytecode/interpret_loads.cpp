// bytecode/interpret_loads.cpp: instructions that put a variable, attribute, item or constant on the stack.
#include "bytecode/interpreter.h"

namespace tenure::bytecode {
namespace {

constexpr uint32_t kFirstInplace = 13, kSubscript = 26;  // arguments of BINARY_OP, 3.11+
constexpr uint32_t kKeepsValue = 6;  // of CALL_INTRINSIC_1: a list becomes a tuple
// Of LOAD_COMMON_CONSTANT, 3.14+: classes and functions; from 3.15 on also None, and behind it "", True, False and -1.
constexpr uint32_t kCommonNone = 7;

}  // namespace

void Interpreter::push_attribute(ExpressionId of, uint32_t number, bool is_method) {
  push(make(Kind::attribute, {of}, name(number)));
  if (is_method) push_self();
}

// A slice of a list is a new one.
void Interpreter::push_item() {
  ExpressionId key = stack_.pop(), of = stack_.pop();
  bool is_new = facts_[key].kind == Kind::slice;
  push(make(is_new ? Kind::other : Kind::item, {of, key}));
}

bool Interpreter::load(const Instruction& i) {
  const uint32_t a = i.argument;
  switch (i.op) {
    case Op::LOAD_FAST:
    case Op::LOAD_FAST_BORROW:
    case Op::LOAD_FAST_CHECK:
      push(variable(a));
      return true;
    case Op::LOAD_FAST_LOAD_FAST:
    case Op::LOAD_FAST_BORROW_LOAD_FAST_BORROW:
      push(variable(a >> 4));
      push(variable(a & 15));
      return true;
    case Op::LOAD_DEREF:
    case Op::LOAD_CLASSDEREF:
      push(shared_variable(a));
      return true;
    case Op::LOAD_FROM_DICT_OR_DEREF:
      stack_.pop();
      push(shared_variable(a));
      return true;
    case Op::LOAD_FROM_DICT_OR_GLOBALS:
      stack_.pop();
      push(make(Kind::global, {}, name(a)));
      return true;
    case Op::LOAD_NAME:
      push(make(Kind::global, {}, name(a)));
      return true;
    case Op::LOAD_GLOBAL:
      // The place of no object lies below the function up to 3.12: an attribute of the global may follow.
      if (is_from(0x30b) && !is_from(0x30d) && a & 1) push_self();
      push(make(Kind::global, {}, name(is_from(0x30b) ? a >> 1 : a)));
      if (is_from(0x30d) && a & 1) push_self();
      return true;
    case Op::LOAD_ATTR:
      push_attribute(stack_.pop(), is_from(0x30c) ? a >> 1 : a, is_from(0x30c) && a & 1);
      return true;
    case Op::LOAD_METHOD:
      push_attribute(stack_.pop(), a, true);
      return true;
    case Op::LOAD_SUPER_ATTR: {
      ExpressionId of = stack_.pop();
      stack_.pop_many(2);
      push_attribute(of, a >> 2, a & 1);
      return true;
    }
    case Op::LOAD_SPECIAL:
      push(make(Kind::other, {stack_.pop()}));
      push_self();
      return true;
    case Op::LOAD_CONST:
      push(constant(a));
      return true;
    case Op::LOAD_SMALL_INT:
      push(make(Kind::constant));
      return true;
    case Op::LOAD_COMMON_CONSTANT: {
      ExpressionId e = make(a >= kCommonNone ? Kind::constant : Kind::other);
      facts_.expressions[e].is_none = a == kCommonNone;
      push(e);
      return true;
    }
    case Op::BINARY_SUBSCR:
      push_item();
      return true;
    case Op::BINARY_OP: {
      if (a == kSubscript) return push_item(), true;
      ExpressionId e = make(Kind::other, stack_.pop_many(2));
      facts_.expressions[e].is_augmented = a >= kFirstInplace;
      push(e);
      return true;
    }
    case Op::CALL_INTRINSIC_1:
      if (a != kKeepsValue) push_other({stack_.pop()});
      return true;
    default:
      return false;
  }
}

bool Interpreter::store(const Instruction& i) {
  const uint32_t a = i.argument;
  switch (i.op) {
    case Op::STORE_FAST:
      bind_variable(a, stack_.pop());
      return true;
    case Op::STORE_FAST_LOAD_FAST:
      bind_variable(a >> 4, stack_.pop());
      push(variable(a & 15));
      return true;
    case Op::STORE_FAST_STORE_FAST:
      bind_variable(a >> 4, stack_.pop());
      bind_variable(a & 15, stack_.pop());
      return true;
    case Op::STORE_DEREF:
      bind(shared_variable(a), stack_.pop());
      return true;
    case Op::STORE_NAME:
    case Op::STORE_GLOBAL:
      bind(make(Kind::global, {}, name(a)), stack_.pop());
      return true;
    case Op::STORE_ATTR: {
      ExpressionId of = stack_.pop(), value = stack_.pop();
      ExpressionId target = make(Kind::attribute, {of}, name(a));
      note(Fact::Kind::stores_attribute, target, kNothing, value);
      return true;
    }
    case Op::STORE_SUBSCR: {
      ExpressionId key = stack_.pop(), of = stack_.pop(), value = stack_.pop();
      note(Fact::Kind::stores_item, of, key, value);
      return true;
    }
    case Op::STORE_SLICE: {
      stack_.pop_many(2);
      ExpressionId of = stack_.pop(), value = stack_.pop();
      note(Fact::Kind::stores_item, of, kNothing, value);
      return true;
    }
    case Op::RETURN_VALUE:
    case Op::RETURN_CONST:
      note(Fact::Kind::returns, kNothing, kNothing,
           i.op == Op::RETURN_CONST ? constant(a) : stack_.pop());
      goes_on_ = false;
      return true;
    case Op::YIELD_VALUE:
      note(Fact::Kind::returns, kNothing, kNothing, stack_.pop());
      push_other();
      return true;
    default:
      return false;
  }
}

}  // namespace tenure::bytecode
