// bytecode/interpreter.h: runs the instructions of one code object in their order over a symbolic stack and notes facts.
// World: offline. Internal to bytecode/; facts.h is the way in.
//
// Where ways join, what differs becomes a choice. Backward jumps lead to where the stack is known already, and handlers of
// exceptions begin with nothing.
#pragma once
#include <map>

#include "bytecode/instructions.h"
#include "bytecode/symbolic_stack.h"

namespace tenure::bytecode {

class Interpreter {
 public:
  explicit Interpreter(const Code& code) : code_(code) { facts_.expressions.emplace_back(); }
  Facts run();

  // How many more values are on the stack after this instruction, if the next one follows it; nothing: it is not known. For
  // tests, which ask the interpreters the same.
  std::optional<int> stack_effect(const Instruction& i);

 private:
  using Kind = Expression::Kind;
  struct Arrival {
    SymbolicStack stack;
    bool is_in_handler;  // no way without an exception leads there
  };

  bool interpret(const Instruction& i);
  // One instruction; false: it is none of theirs. Each is in a file of its own.
  bool load(const Instruction& i);
  bool store(const Instruction& i);
  bool call(const Instruction& i);
  bool build(const Instruction& i);
  bool shuffle(const Instruction& i);
  bool jump(const Instruction& i);
  bool plain(const Instruction& i);

  // Expressions.
  ExpressionId make(Kind kind, std::vector<ExpressionId> parts = {}, std::string_view name = {});
  ExpressionId variable(uint32_t slot);
  ExpressionId shared_variable(uint32_t number);
  ExpressionId constant(uint32_t number);
  void push(ExpressionId e) { stack_.push(e); }
  void push_other(std::vector<ExpressionId> parts = {}) {
    push(make(Kind::other, std::move(parts)));
  }
  void push_self() { push(make(Kind::self)); }
  void push_attribute(ExpressionId of, uint32_t name, bool is_method);
  void push_item();
  std::string_view name(uint32_t number) const;

  // Facts.
  void note(Fact::Kind kind, ExpressionId target, ExpressionId key, ExpressionId value);
  void bind(ExpressionId target, ExpressionId value);
  void bind_variable(uint32_t slot, ExpressionId value);

  // Calls.
  void make_call(ExpressionId callee, std::vector<ExpressionId> arguments, uint32_t keyword_names);
  ExpressionId pop_callee(std::vector<ExpressionId>* arguments);
  void call_with_names(uint32_t count, uint32_t names_constant);
  void call_unpacked(uint32_t flags);
  void make_function(uint32_t flags);

  // Displays.
  void fill_display(uint32_t depth, const std::vector<ExpressionId>& parts);
  void keep_append(const Instruction& i, ExpressionId item);
  void unpack(uint32_t count);

  // Ways.
  void arrive(const Instruction& i);
  void leave_to(int32_t target, const SymbolicStack& stack);
  void jump_back(const Instruction& i, int32_t target);
  void jump_to(const Instruction& i, const SymbolicStack& stack);
  void join(const SymbolicStack& other);
  void keep_loops();

  bool is_from(int version) const { return code_.version >= version; }

  static constexpr size_t kMostArrivals = 4096;
  static constexpr uint8_t kDeepest = 48;  // expressions inside each other
  static constexpr size_t kMostUnpacked = 256;

  const Code& code_;
  Facts facts_;
  SymbolicStack stack_;
  Instruction now_;
  bool goes_on_ = true;  // the instruction before may be followed by this one
  bool is_in_handler_ = false;
  uint32_t keyword_names_ = 0;  // for the next call, 3.11 and 3.12: number + 1 of a constant
  std::map<int32_t, Arrival> arrivals_;
  struct BackwardJump {
    OffsetRange range;
    bool is_in_handler;
  };
  std::vector<BackwardJump> backward_jumps_;
};

}  // namespace tenure::bytecode
