// bytecode/program.h: all code of the user's own that is known of a process, with what it does with names.
// World: offline. Immutable after it was made; the snapshots live longer.
#pragma once
#include <span>
#include <string_view>
#include <unordered_set>

#include "bytecode/facts.h"
#include "ledger/snapshot_reader.h"

namespace tenure::bytecode {

struct Function {
  Code code;
  Facts facts;

  // `hook` of `install.<locals>.hook`.
  std::string_view bare_name() const;
  // `Loader` of `Loader.batch`; empty: it is no method.
  std::string_view class_name() const;
  // Its name, without the comprehension that it is the body of.
  std::string_view told_name() const;
};

class Program {
 public:
  Program() = default;
  explicit Program(std::vector<Code> codes) { add(std::move(codes)); }
  // Oldest first. A code is taken from the newest snapshot that has it.
  explicit Program(std::span<const ledger::Snapshot> snapshots);

  std::span<const Function> functions() const { return functions_; }
  // Whether any code says the name, as a variable or an attribute.
  bool mentions(std::string_view name) const;

 private:
  void add(std::vector<Code> codes);

  std::vector<Function> functions_;
};

// Whether the statement on this line gives a variable or attribute a value that is made from its old one: `x = f(x)`,
// `self.x += 1`.
bool makes_from_old_value(const Program& program, std::string_view file, int line);

// The variable that the line assigns; empty: none, or several.
std::string_view assigned_variable(const Program& program, std::string_view file, int line);

// Whether every value that the variable of this line gets inside a loop of its function is made from the old one.
bool is_carried_round(const Program& program, std::string_view file, int line);

// Whether an expression has a part, at any depth, that `is_it` says yes to; itself included.
template <class IsIt>
bool contains(const Facts& facts, ExpressionId e, IsIt is_it) {
  std::vector<ExpressionId> left{e};
  std::unordered_set<ExpressionId> seen;
  while (!left.empty()) {
    ExpressionId next = left.back();
    left.pop_back();
    if (!seen.insert(next).second) continue;
    if (is_it(facts[next])) return true;
    left.insert(left.end(), facts[next].parts.begin(), facts[next].parts.end());
  }
  return false;
}

// Whether two expressions are the same name: `x` and `x`, `self.x` and `self.x`.
bool is_same_name(const Facts& facts, const Expression& a, const Expression& b);

}  // namespace tenure::bytecode
