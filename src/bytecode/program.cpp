#include "bytecode/program.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "bytecode/snapshot_codes.h"

namespace tenure::bytecode {
namespace {

using Kind = Expression::Kind;

constexpr std::string_view kLocals = "<locals>.";
constexpr std::string_view kComprehensions[] = {"<listcomp>", "<setcomp>", "<dictcomp>",
                                                "<genexpr>"};

bool is_variable(const Expression& e) {
  return e.kind == Kind::local || e.kind == Kind::global || e.kind == Kind::deref;
}

bool is_assignment(const Fact& fact) {
  return fact.kind == Fact::Kind::binds || fact.kind == Fact::Kind::stores_attribute;
}

bool reads(const Facts& facts, ExpressionId value, ExpressionId name) {
  return contains(facts, value,
                  [&](const Expression& e) { return is_same_name(facts, e, facts[name]); });
}

// `x = f(x)`, `x += 1`; also by way of another name: `new = f(x)`, then `x = new`.
bool is_from_old_value(const Facts& facts, const Fact& fact) {
  if (facts[fact.value].is_augmented || reads(facts, fact.value, fact.target)) return true;
  return std::any_of(facts.facts.begin(), facts.facts.end(), [&](const Fact& other) {
    return is_assignment(other) && reads(facts, other.value, fact.target) &&
           reads(facts, fact.value, other.target);
  });
}

// The facts of a line, with their function.
template <class Look>
void each_on_line(const Program& program, std::string_view file, int line, Look look) {
  for (const Function& function : program.functions()) {
    if (function.code.file != file) continue;
    for (const Fact& fact : function.facts.facts)
      if (fact.line == line) look(function, fact);
  }
}

}  // namespace

std::string_view Function::bare_name() const {
  std::string_view name = code.name;
  return name.substr(name.rfind('.') + 1);
}

std::string_view Function::class_name() const {
  std::string_view name = code.name;
  size_t dot = name.rfind('.');
  if (dot == name.npos || !code.is_function()) return {};
  name = name.substr(0, dot);
  if (name.ends_with("<locals>")) return {};
  return name.substr(name.rfind('.') + 1);
}

std::string_view Function::told_name() const {
  std::string_view name = code.name;
  for (bool is_cut = true; is_cut;) {
    is_cut = false;
    for (std::string_view comprehension : kComprehensions) {
      if (!name.ends_with(comprehension)) continue;
      name.remove_suffix(comprehension.size());
      if (name.ends_with(kLocals)) name.remove_suffix(kLocals.size() + 1);
      is_cut = true;
    }
  }
  return name.empty() ? "<module>" : name;
}

Program::Program(std::span<const ledger::Snapshot> snapshots) {
  std::set<std::tuple<std::string, std::string, int>> known;
  for (size_t i = snapshots.size(); i-- > 0;) {
    std::vector<Code> codes = codes_of(snapshots[i]);
    auto key = [](const Code& code) {
      return std::tuple(std::string(code.file), code.name, code.first_line);
    };
    std::erase_if(codes, [&](const Code& code) { return known.contains(key(code)); });
    for (const Code& code : codes) known.insert(key(code));
    add(std::move(codes));
  }
}

void Program::add(std::vector<Code> codes) {
  for (Code& code : codes) {
    Facts facts = read_facts(code);
    functions_.push_back({std::move(code), std::move(facts)});
  }
}

bool Program::mentions(std::string_view name) const {
  return std::any_of(functions_.begin(), functions_.end(), [&](const Function& function) {
    const Code& code = function.code;
    return std::find(code.names.begin(), code.names.end(), name) != code.names.end() ||
           std::any_of(code.variables.begin(), code.variables.end(),
                       [&](const Variable& v) { return v.name == name; });
  });
}

bool is_same_name(const Facts& facts, const Expression& a, const Expression& b) {
  if (a.kind != b.kind || a.name != b.name || a.name.empty()) return false;
  if (is_variable(a)) return true;
  return a.kind == Kind::attribute && !a.parts.empty() && !b.parts.empty() &&
         is_same_name(facts, facts[a.parts[0]], facts[b.parts[0]]);
}

bool makes_from_old_value(const Program& program, std::string_view file, int line) {
  bool is_made = false;
  each_on_line(program, file, line, [&](const Function& function, const Fact& fact) {
    is_made |= is_assignment(fact) && is_from_old_value(function.facts, fact);
  });
  return is_made;
}

std::string_view assigned_variable(const Program& program, std::string_view file, int line) {
  std::set<std::string_view> names;
  each_on_line(program, file, line, [&](const Function& function, const Fact& fact) {
    if (is_assignment(fact)) names.insert(function.facts[fact.target].name);
    if (fact.kind == Fact::Kind::stores_attribute) names.insert("");
  });
  return names.size() == 1 ? *names.begin() : std::string_view{};
}

bool is_carried_round(const Program& program, std::string_view file, int line) {
  bool is_carried = false, is_anew = false;
  each_on_line(program, file, line, [&](const Function& function, const Fact& fact) {
    const Facts& facts = function.facts;
    if (fact.kind != Fact::Kind::binds || !facts.is_in_loop(fact.offset)) return;
    is_carried = true;
    for (const Fact& other : facts.facts) {
      is_anew |= other.kind == Fact::Kind::binds && facts.is_in_loop(other.offset) &&
                 is_same_name(facts, facts[other.target], facts[fact.target]) &&
                 !is_from_old_value(facts, other);
    }
  });
  return is_carried && !is_anew;
}

}  // namespace tenure::bytecode
