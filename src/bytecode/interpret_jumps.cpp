// bytecode/interpret_jumps.cpp: jumps, loops, and the instructions that only take from the stack and put on it.
#include "bytecode/interpreter.h"

namespace tenure::bytecode {
namespace {

// Which takes so many from the stack and puts so many on it, in versions from `from` to `to`. What is computed from one or
// more values is none of them.
struct PlainOp {
  Op op;
  uint8_t pops, pushes;
  int from = 0x307, to = 0x3ff;
};

constexpr PlainOp kPlainOps[] = {
    {Op::NOP, 0, 0},
    {Op::CACHE, 0, 0},
    {Op::RESUME, 0, 0},
    {Op::PRECALL, 0, 0},
    {Op::NOT_TAKEN, 0, 0},
    {Op::LIST_TO_TUPLE, 0, 0},
    {Op::MAKE_CELL, 0, 0},
    {Op::COPY_FREE_VARS, 0, 0},
    {Op::SETUP_ANNOTATIONS, 0, 0},
    {Op::SETUP_LOOP, 0, 0},
    {Op::SETUP_EXCEPT, 0, 0},
    {Op::SETUP_FINALLY, 0, 0},
    {Op::SETUP_ASYNC_WITH, 0, 0},
    {Op::SETUP_WITH, 1, 2},
    {Op::BEFORE_WITH, 1, 2},
    {Op::BEFORE_ASYNC_WITH, 1, 2},
    {Op::POP_BLOCK, 0, 0},
    {Op::BEGIN_FINALLY, 0, 1},
    {Op::CALL_FINALLY, 0, 0},
    {Op::POP_FINALLY, 1, 0},
    {Op::END_FINALLY, 1, 0},
    {Op::WITH_CLEANUP_START, 0, 1},
    {Op::WITH_CLEANUP_FINISH, 2, 0},
    {Op::WITH_EXCEPT_START, 0, 1},
    {Op::PUSH_EXC_INFO, 1, 2},
    {Op::POP_EXCEPT, 3, 0, 0x307, 0x30a},
    {Op::POP_EXCEPT, 1, 0, 0x30b},
    {Op::CHECK_EXC_MATCH, 1, 1},
    {Op::CHECK_EG_MATCH, 2, 2},
    {Op::PREP_RERAISE_STAR, 2, 1},
    {Op::CLEANUP_THROW, 3, 2},
    {Op::DELETE_NAME, 0, 0},
    {Op::DELETE_FAST, 0, 0},
    {Op::DELETE_GLOBAL, 0, 0},
    {Op::DELETE_DEREF, 0, 0},
    {Op::DELETE_ATTR, 1, 0},
    {Op::DELETE_SUBSCR, 2, 0},
    {Op::POP_TOP, 1, 0},
    {Op::POP_ITER, 1, 0, 0x30e, 0x30e},
    {Op::POP_ITER, 2, 0, 0x30f},
    {Op::END_FOR, 2, 0, 0x30c, 0x30c},
    {Op::END_FOR, 1, 0, 0x30d},
    {Op::END_SEND, 2, 1, 0x30c, 0x30e},
    {Op::END_SEND, 3, 1, 0x30f},
    {Op::END_ASYNC_FOR, 7, 0, 0x308, 0x30a},
    {Op::END_ASYNC_FOR, 2, 0, 0x30b},
    {Op::PRINT_EXPR, 1, 0},
    {Op::IMPORT_STAR, 1, 0},
    {Op::IMPORT_NAME, 2, 1},
    {Op::IMPORT_FROM, 0, 1},
    {Op::GEN_START, 1, 0},
    {Op::RETURN_GENERATOR, 0, 1},
    {Op::LOAD_CLOSURE, 0, 1},
    {Op::LOAD_LOCALS, 0, 1},
    {Op::LOAD_BUILD_CLASS, 0, 1},
    {Op::LOAD_ASSERTION_ERROR, 0, 1},
    {Op::LOAD_FAST_AND_CLEAR, 0, 1},
    {Op::GET_ITER, 1, 1, 0x307, 0x30e},
    {Op::GET_ITER, 1, 2, 0x30f},
    {Op::GET_YIELD_FROM_ITER, 1, 1},
    {Op::GET_AITER, 1, 1},
    {Op::GET_ANEXT, 0, 1},
    {Op::GET_AWAITABLE, 1, 1},
    {Op::GET_LEN, 0, 1},
    {Op::YIELD_FROM, 2, 1},
    {Op::ASYNC_GEN_WRAP, 1, 1},
    {Op::TO_BOOL, 1, 1},
    {Op::FORMAT_SIMPLE, 1, 1},
    {Op::FORMAT_WITH_SPEC, 2, 1},
    {Op::CONVERT_VALUE, 1, 1},
    {Op::UNARY_NEGATIVE, 1, 1},
    {Op::UNARY_POSITIVE, 1, 1},
    {Op::UNARY_NOT, 1, 1},
    {Op::UNARY_INVERT, 1, 1},
    {Op::COMPARE_OP, 2, 1},
    {Op::IS_OP, 2, 1},
    {Op::CONTAINS_OP, 2, 1},
    {Op::BINARY_SLICE, 3, 1},
    {Op::BINARY_ADD, 2, 1},
    {Op::BINARY_AND, 2, 1},
    {Op::BINARY_FLOOR_DIVIDE, 2, 1},
    {Op::BINARY_LSHIFT, 2, 1},
    {Op::BINARY_MATRIX_MULTIPLY, 2, 1},
    {Op::BINARY_MODULO, 2, 1},
    {Op::BINARY_MULTIPLY, 2, 1},
    {Op::BINARY_OR, 2, 1},
    {Op::BINARY_POWER, 2, 1},
    {Op::BINARY_RSHIFT, 2, 1},
    {Op::BINARY_SUBTRACT, 2, 1},
    {Op::BINARY_TRUE_DIVIDE, 2, 1},
    {Op::BINARY_XOR, 2, 1},
    {Op::INPLACE_ADD, 2, 1},
    {Op::INPLACE_AND, 2, 1},
    {Op::INPLACE_FLOOR_DIVIDE, 2, 1},
    {Op::INPLACE_LSHIFT, 2, 1},
    {Op::INPLACE_MATRIX_MULTIPLY, 2, 1},
    {Op::INPLACE_MODULO, 2, 1},
    {Op::INPLACE_MULTIPLY, 2, 1},
    {Op::INPLACE_OR, 2, 1},
    {Op::INPLACE_POWER, 2, 1},
    {Op::INPLACE_RSHIFT, 2, 1},
    {Op::INPLACE_SUBTRACT, 2, 1},
    {Op::INPLACE_TRUE_DIVIDE, 2, 1},
    {Op::INPLACE_XOR, 2, 1},
    {Op::CALL_INTRINSIC_2, 2, 1},
    {Op::MATCH_SEQUENCE, 0, 1},
    {Op::MATCH_MAPPING, 0, 1},
    {Op::MATCH_KEYS, 0, 2, 0x30a, 0x30a},
    {Op::MATCH_KEYS, 0, 1, 0x30b},
    {Op::MATCH_CLASS, 3, 2, 0x30a, 0x30a},
    {Op::MATCH_CLASS, 3, 1, 0x30b},
    {Op::COPY_DICT_WITHOUT_KEYS, 1, 1},
    {Op::EXIT_INIT_CHECK, 1, 0},
};

const PlainOp* find_plain(Op op, int version) {
  for (const PlainOp& plain : kPlainOps)
    if (plain.op == op && plain.from <= version && version <= plain.to) return &plain;
  return nullptr;
}

bool is_inplace(Op op) { return op >= Op::INPLACE_ADD && op <= Op::INPLACE_XOR; }

}  // namespace

bool Interpreter::plain(const Instruction& i) {
  const PlainOp* plain = find_plain(i.op, code_.version);
  if (!plain) return false;
  std::vector<ExpressionId> popped = stack_.pop_many(plain->pops);
  for (int k = 0; k < plain->pushes; ++k) {
    ExpressionId e = make(Kind::other, popped);
    facts_.expressions[e].is_augmented = is_inplace(i.op);
    push(e);
  }
  return true;
}

bool Interpreter::jump(const Instruction& i) {
  switch (i.op) {
    case Op::JUMP_FORWARD:
    case Op::JUMP_ABSOLUTE:
    case Op::JUMP_BACKWARD:
    case Op::CONTINUE_LOOP:
      jump_to(i, stack_);
      goes_on_ = false;
      return true;
    case Op::JUMP_BACKWARD_NO_INTERRUPT:  // of an `await` or a handler: no loop
    case Op::BREAK_LOOP:
    case Op::RERAISE:
    case Op::INTERPRETER_EXIT:
      goes_on_ = false;
      return true;
    case Op::RAISE_VARARGS:
      stack_.pop_many(i.argument);
      goes_on_ = false;
      return true;
    case Op::JUMP_IF_FALSE_OR_POP:
    case Op::JUMP_IF_TRUE_OR_POP:
      jump_to(i, stack_);
      stack_.pop();
      return true;
    case Op::JUMP_IF_NOT_EXC_MATCH:
      stack_.pop_many(2);
      jump_to(i, stack_);
      return true;
    case Op::FOR_ITER: {
      SymbolicStack finished = stack_;
      push_other({stack_.peek(1)});
      if (!is_from(0x30c)) finished.pop();
      jump_to(i, is_from(0x30c) ? stack_ : finished);
      return true;
    }
    case Op::SEND: {
      stack_.pop();
      push_other();
      SymbolicStack finished = stack_;
      if (!is_from(0x30c)) {
        finished.pop_many(2);
        finished.push(stack_.peek(1));
      }
      jump_to(i, finished);
      return true;
    }
    default:
      break;
  }
  // The names are in the order of the alphabet: these are all the POP_JUMP_.
  if (i.op < Op::POP_JUMP_BACKWARD_IF_FALSE || i.op > Op::POP_JUMP_IF_TRUE) return false;
  stack_.pop();
  jump_to(i, stack_);
  return true;
}

}  // namespace tenure::bytecode
