#include "bytecode/interpreter.h"

#include <algorithm>

namespace tenure::bytecode {

Facts read_facts(const Code& code) { return Interpreter(code).run(); }

bool Facts::is_in_loop(int32_t offset) const {
  return std::any_of(loops.begin(), loops.end(), [&](const OffsetRange& loop) {
    return loop.first <= offset && offset <= loop.last;
  });
}

Facts Interpreter::run() {
  for (const Instruction& i : instructions_of(code_)) {
    arrive(i);
    if (!interpret(i)) stack_.clear();
  }
  keep_loops();
  return std::move(facts_);
}

bool Interpreter::interpret(const Instruction& i) {
  return load(i) || store(i) || call(i) || build(i) || shuffle(i) || jump(i) || plain(i);
}

std::optional<int> Interpreter::stack_effect(const Instruction& i) {
  constexpr int kDepth = 64;
  stack_.clear();
  for (int k = 0; k < kDepth; ++k) push(kNothing);
  now_ = i;
  if (!interpret(i)) return std::nullopt;
  return static_cast<int>(stack_.size()) - kDepth;
}

// ---- expressions ----

ExpressionId Interpreter::make(Kind kind, std::vector<ExpressionId> parts, std::string_view name) {
  Expression e;
  e.kind = kind;
  e.line = now_.line;
  e.name = name;
  for (ExpressionId part : parts)
    e.depth = std::max<uint8_t>(e.depth, static_cast<uint8_t>(facts_[part].depth + 1));
  if (e.depth > kDeepest) {  // nobody writes such a statement
    e.kind = Kind::other;
    e.depth = 0;
    parts.clear();
  }
  e.parts = std::move(parts);
  facts_.expressions.push_back(std::move(e));
  return static_cast<ExpressionId>(facts_.expressions.size() - 1);
}

std::string_view Interpreter::name(uint32_t number) const {
  return number < code_.names.size() ? code_.names[number] : std::string_view{};
}

// A slot that is shared with other functions holds a cell: to load it plainly is to hand the cell on.
ExpressionId Interpreter::variable(uint32_t slot) {
  if (slot >= code_.variables.size()) return kNothing;
  const Variable& v = code_.variables[slot];
  bool is_cell = is_from(0x30b) && (v.is_cell || v.is_free);
  return is_cell ? make(Kind::other) : make(Kind::local, {}, v.name);
}

// Up to 3.10 cells are counted by themselves, behind the locals.
ExpressionId Interpreter::shared_variable(uint32_t number) {
  size_t slot = number;
  if (!is_from(0x30b)) {
    slot += static_cast<size_t>(
        std::count_if(code_.variables.begin(), code_.variables.end(),
                      [](const Variable& v) { return !v.is_cell && !v.is_free; }));
  }
  return slot < code_.variables.size() ? make(Kind::deref, {}, code_.variables[slot].name)
                                       : kNothing;
}

ExpressionId Interpreter::constant(uint32_t number) {
  if (number >= code_.constants.size()) return make(Kind::constant);
  ExpressionId e = make(Kind::constant, {}, code_.constants[number].text);
  facts_.expressions[e].constant = number + 1;
  facts_.expressions[e].is_none = code_.constants[number].kind == Constant::Kind::none;
  return e;
}

// ---- facts ----

void Interpreter::note(Fact::Kind kind, ExpressionId target, ExpressionId key, ExpressionId value) {
  bool is_assignment = kind == Fact::Kind::binds || kind == Fact::Kind::stores_attribute;
  if (is_assignment && target != kNothing) facts_.expressions[target].is_target = true;
  facts_.facts.push_back({kind, now_.line, now_.offset, target, key, value});
}

void Interpreter::bind(ExpressionId target, ExpressionId value) {
  note(Fact::Kind::binds, target, kNothing, value);
}

void Interpreter::bind_variable(uint32_t slot, ExpressionId value) {
  if (slot >= code_.variables.size()) return;
  bind(make(Kind::local, {}, code_.variables[slot].name), value);
}

// ---- ways ----

void Interpreter::arrive(const Instruction& i) {
  now_ = i;
  auto arrival = arrivals_.find(i.start);
  if (!goes_on_) {
    is_in_handler_ = arrival == arrivals_.end() || arrival->second.is_in_handler;
    stack_ = arrival == arrivals_.end() ? SymbolicStack() : std::move(arrival->second.stack);
  } else if (arrival != arrivals_.end()) {
    is_in_handler_ = is_in_handler_ && arrival->second.is_in_handler;
    join(arrival->second.stack);
  }
  arrivals_.erase(arrivals_.begin(), arrivals_.upper_bound(i.start));
  goes_on_ = true;
}

// Stacks of different depths only meet between statements, where nothing of them is used any more.
void Interpreter::join(const SymbolicStack& other) {
  if (other.size() != stack_.size()) return;
  for (size_t i = 0; i < other.size(); ++i) {
    if (stack_[i] != other[i]) stack_[i] = make(Kind::choice, {other[i], stack_[i]});
  }
}

void Interpreter::leave_to(int32_t target, const SymbolicStack& stack) {
  if (target == kNoTarget || target <= now_.offset) return;
  auto arrival = arrivals_.find(target);
  if (arrival == arrivals_.end()) {
    if (arrivals_.size() < kMostArrivals) arrivals_.emplace(target, Arrival{stack, is_in_handler_});
    return;
  }
  std::swap(stack_, arrival->second.stack);
  join(stack);
  std::swap(stack_, arrival->second.stack);
  arrival->second.is_in_handler = arrival->second.is_in_handler && is_in_handler_;
}

void Interpreter::jump_back(const Instruction& i, int32_t target) {
  if (target != kNoTarget && target <= i.offset)
    backward_jumps_.push_back({{target, i.offset}, is_in_handler_});
}

void Interpreter::jump_to(const Instruction& i, const SymbolicStack& stack) {
  int32_t target = jump_target(code_, i);
  if (target != kNoTarget && target <= i.offset)
    jump_back(i, target);
  else
    leave_to(target, stack);
}

// From 3.12 on handlers stand behind everything else, and to leave one is a backward jump as well: no loop of its own.
void Interpreter::keep_loops() {
  for (const BackwardJump& jump : backward_jumps_)
    if (!jump.is_in_handler) facts_.loops.push_back(jump.range);
}

}  // namespace tenure::bytecode
