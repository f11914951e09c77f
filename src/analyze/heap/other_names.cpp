#include "analyze/heap/other_names.h"

#include <algorithm>

namespace tenure::analyze {
namespace {

using bytecode::Expression;
using bytecode::ExpressionId;
using bytecode::Fact;
using bytecode::Function;
using bytecode::Program;
using Kind = Expression::Kind;

bool is_variable(const Expression& e) {
  return e.kind == Kind::local || e.kind == Kind::global || e.kind == Kind::deref;
}

// The only one of that name; of a class its constructor.
const Function* function_named(const Program& program, std::string_view name) {
  const Function *function = nullptr, *constructor = nullptr;
  size_t functions = 0, constructors = 0;
  for (const Function& f : program.functions()) {
    if (!f.code.is_function()) continue;
    if (f.bare_name() == name) function = &f, ++functions;
    if (f.bare_name() == "__init__" && f.class_name() == name) constructor = &f, ++constructors;
  }
  if (functions > 0) return functions == 1 ? function : nullptr;
  return constructors == 1 ? constructor : nullptr;
}

const Function* called_function(const Program& program, const Function& function,
                                const Expression& call) {
  if (call.parts.empty()) return nullptr;
  const Expression& callee = function.facts[call.parts[0]];
  bool has_name = is_variable(callee) || callee.kind == Kind::attribute;
  return has_name && !callee.name.empty() ? function_named(program, callee.name) : nullptr;
}

// By place; those that can only be given by name come last. Without `self`.
struct Parameters {
  std::vector<std::string_view> names;
  size_t by_place = 0;
};

Parameters parameters_of(const Function& function) {
  const bytecode::Code& code = function.code;
  Parameters found;
  size_t all = size_t{code.arguments} + code.keyword_only_arguments;
  for (size_t i = 0; i < std::min(all, code.variables.size()); ++i)
    found.names.push_back(code.variables[i].name);
  found.by_place = std::min<size_t>(code.arguments, found.names.size());
  bool has_self = found.by_place > 0 && (found.names[0] == "self" || found.names[0] == "cls");
  if (has_self) {
    found.names.erase(found.names.begin());
    --found.by_place;
  }
  return found;
}

// The name that an argument is given by; empty: by its place.
std::string_view keyword_of(const Function& function, const Expression& call, size_t part) {
  size_t first = call.parts.size() - call.keywords;
  if (call.keywords == 0 || part < first || call.keyword_names == 0) return {};
  const std::vector<std::string_view>& names =
      function.code.constants[call.keyword_names - 1].texts;
  return part - first < names.size() ? names[part - first] : std::string_view{};
}

// A variable of a function around belongs to that, whichever it is.
std::string owner_of(const Function& function, const Expression& variable) {
  if (variable.kind == Kind::global) return "";
  const auto& all = function.code.variables;
  bool is_free = std::any_of(all.begin(), all.end(), [&](const bytecode::Variable& v) {
    return v.name == variable.name && v.is_free;
  });
  return variable.kind == Kind::deref && is_free ? "" : function.code.name;
}

}  // namespace

std::optional<KeptName> name_of_target(const Function& function, ExpressionId target) {
  const Expression& e = function.facts[target];
  if (is_variable(e)) {
    return KeptName{KeptName::Kind::variable, std::string(e.name), owner_of(function, e), ""};
  }
  if (e.kind != Kind::attribute || e.parts.empty()) return std::nullopt;
  const Expression& of = function.facts[e.parts[0]];
  bool is_own = of.kind == Kind::local && of.name == "self" && !function.class_name().empty();
  if (!is_own) return std::nullopt;
  return KeptName{KeptName::Kind::attribute, std::string(e.name),
                  std::string(function.class_name()), ""};
}

std::optional<KeptName> name_of_parameter(const Program& program, const Function& function,
                                          const Expression& call, size_t part) {
  const Function* called = called_function(program, function, call);
  if (!called || part == 0) return std::nullopt;
  Parameters parameters = parameters_of(*called);
  std::string_view name = keyword_of(function, call, part);
  if (name.empty()) {
    if (part > parameters.by_place) return std::nullopt;
    name = parameters.names[part - 1];
  } else if (std::find(parameters.names.begin(), parameters.names.end(), name) ==
             parameters.names.end()) {
    return std::nullopt;
  }
  return KeptName{KeptName::Kind::variable, std::string(name), called->code.name, ""};
}

// A way out that returns nothing takes no name from it.
std::optional<KeptName> name_of_returned(const Program& program, const Function& function,
                                         const Expression& call) {
  const Function* called = called_function(program, function, call);
  if (!called) return std::nullopt;
  const Expression* returned = nullptr;
  for (const Fact& fact : called->facts.facts) {
    if (fact.kind != Fact::Kind::returns) continue;
    const Expression& value = called->facts[fact.value];
    if (value.is_none) continue;
    bool is_other = returned && (returned->kind != value.kind || returned->name != value.name);
    if (!is_variable(value) || is_other) return std::nullopt;
    returned = &value;
  }
  if (!returned) return std::nullopt;
  return KeptName{KeptName::Kind::variable, std::string(returned->name),
                  owner_of(*called, *returned), ""};
}

}  // namespace tenure::analyze
