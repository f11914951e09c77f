// bytecode/interpret_calls.cpp: calls in all their forms, and functions that are made.
#include "bytecode/interpreter.h"

namespace tenure::bytecode {

// From 3.11 on two places lie below the arguments: the function and its object, or the function and nothing, in either order.
ExpressionId Interpreter::pop_callee(std::vector<ExpressionId>* arguments) {
  ExpressionId upper = stack_.pop(), lower = stack_.pop();
  if (facts_[upper].kind == Kind::self) return lower;
  if (facts_[lower].kind == Kind::self) return upper;
  arguments->insert(arguments->begin(), upper);
  return lower;
}

void Interpreter::make_call(ExpressionId callee, std::vector<ExpressionId> arguments,
                            uint32_t keyword_names) {
  bool is_count = facts_[callee].kind == Kind::global && facts_[callee].name == "len";
  if (is_count && arguments.size() == 1 && arguments[0] != kNothing)
    facts_.expressions[arguments[0]].is_only_counted = true;
  size_t named = 0;
  if (keyword_names && keyword_names <= code_.constants.size())
    named = std::min(code_.constants[keyword_names - 1].texts.size(), arguments.size());
  arguments.insert(arguments.begin(), callee);
  ExpressionId e = make(Kind::call, std::move(arguments));
  facts_.expressions[e].keywords = static_cast<uint32_t>(named);
  facts_.expressions[e].keyword_names = keyword_names;
  note(Fact::Kind::calls, kNothing, kNothing, e);
  push(e);
}

// `names_constant`: number + 1 of the tuple with the names of the last arguments.
void Interpreter::call_with_names(uint32_t count, uint32_t names_constant) {
  std::vector<ExpressionId> arguments = stack_.pop_many(count);
  ExpressionId callee = is_from(0x30b) ? pop_callee(&arguments) : stack_.pop();
  make_call(callee, std::move(arguments), names_constant);
}

void Interpreter::call_unpacked(uint32_t flags) {
  bool has_named = is_from(0x30e) || flags & 1;
  std::vector<ExpressionId> arguments = stack_.pop_many(has_named ? 2 : 1);
  for (ExpressionId& argument : arguments) argument = make(Kind::display, {argument});
  ExpressionId callee = is_from(0x30b) ? pop_callee(&arguments) : stack_.pop();
  make_call(callee, std::move(arguments), 0);
}

void Interpreter::make_function(uint32_t flags) {
  if (!is_from(0x30b)) stack_.pop();  // its qualified name
  ExpressionId code = stack_.pop();
  uint32_t number = facts_[code].constant;
  if (!is_from(0x30d)) {
    for (uint32_t bit = 1; bit <= 8; bit <<= 1)
      if (flags & bit) stack_.pop();
  }
  ExpressionId function = make(Kind::function);
  facts_.expressions[function].constant = number;
  push(function);
}

bool Interpreter::call(const Instruction& i) {
  const uint32_t a = i.argument;
  switch (i.op) {
    case Op::CALL_FUNCTION:
      call_with_names(a, 0);
      return true;
    case Op::CALL_FUNCTION_KW:
    case Op::CALL_KW:
      call_with_names(a, facts_[stack_.pop()].constant);
      return true;
    case Op::CALL_METHOD: {
      std::vector<ExpressionId> arguments = stack_.pop_many(a);
      make_call(pop_callee(&arguments), std::move(arguments), 0);
      return true;
    }
    case Op::KW_NAMES:
      keyword_names_ = a + 1;
      return true;
    case Op::CALL:
      call_with_names(a, keyword_names_);
      keyword_names_ = 0;
      return true;
    case Op::CALL_FUNCTION_EX:
      call_unpacked(a);
      return true;
    case Op::MAKE_FUNCTION:
      make_function(a);
      return true;
    case Op::SET_FUNCTION_ATTRIBUTE: {
      ExpressionId function = stack_.pop();
      stack_.pop();
      push(function);
      return true;
    }
    case Op::PUSH_NULL:
      push_self();
      return true;
    default:
      return false;
  }
}

}  // namespace tenure::bytecode
