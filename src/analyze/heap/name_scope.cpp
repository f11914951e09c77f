#include "analyze/heap/name_scope.h"

#include <algorithm>

namespace tenure::analyze {
namespace {

using bytecode::Expression;
using bytecode::ExpressionId;
using bytecode::Function;
using Kind = Expression::Kind;

bool is_self(const Expression& e) {
  return (e.kind == Kind::local || e.kind == Kind::deref) && (e.name == "self" || e.name == "cls");
}

// Whether one of the names around a function is this one: `Loader` around `Loader.batch.<locals>.hook`.
bool is_inside(std::string_view qualified, std::string_view around) {
  size_t at = 0;
  for (size_t dot; (dot = qualified.find('.', at)) != qualified.npos; at = dot + 1)
    if (qualified.substr(at, dot - at) == around) return true;
  return false;
}

}  // namespace

NameScope::NameScope(const bytecode::Program& program, KeptName name) : name_(std::move(name)) {
  if (name_.owner.empty()) return;
  for (const Function& function : program.functions()) {
    if (name_.kind == KeptName::Kind::variable) owners_ += is_owner(function);
    is_class_known_ = is_class_known_ || is_inside(function.code.name, name_.owner);
  }
}

bool NameScope::is_owner(const Function& function) const {
  bool is_qualified = name_.owner.find('.') != name_.owner.npos;
  return function.code.is_function() &&
         (is_qualified ? function.code.name == name_.owner : function.bare_name() == name_.owner);
}

bool NameScope::is_inside_owner(const Function& function) const {
  std::string_view name = function.code.name;
  std::string inside = name_.owner + ".<locals>.";
  size_t at = name.find(inside);
  return at != name.npos && (at == 0 || name[at - 1] == '.');
}

bool NameScope::is_variable(const Function& function, const Expression& e) const {
  if (e.kind == Kind::attribute && name_.owner.empty()) {
    const Expression& of = function.facts[e.parts[0]];
    return e.name == name_.name && (of.kind == Kind::global || of.kind == Kind::local) &&
           !is_self(of);  // `train.losses`, of a module
  }
  if (e.name != name_.name) return false;
  if (name_.owner.empty()) return e.kind == Kind::global || e.kind == Kind::deref;
  if (is_owner(function)) return e.kind == Kind::local || e.kind == Kind::deref;
  return e.kind == Kind::deref && is_inside_owner(function);
}

bool NameScope::is_attribute(const Function& function, const Expression& e) const {
  if (e.name != name_.name) return false;
  bool is_class_body = !function.code.is_function() && function.bare_name() == name_.owner;
  if (e.kind == Kind::global) return is_class_body;
  if (e.kind != Kind::attribute) return false;
  if (!is_self(function.facts[e.parts[0]])) return true;
  return !is_class_known_ || is_inside(function.code.name, name_.owner);
}

bool NameScope::is_it(const Function& function, ExpressionId id) const {
  const Expression& e = function.facts[id];
  if (e.name.empty() || (e.kind == Kind::attribute && e.parts.empty())) return false;
  return name_.kind == KeptName::Kind::variable ? is_variable(function, e)
                                                : is_attribute(function, e);
}

NameScope::Root NameScope::root_of(const Function& function, ExpressionId id) const {
  Root root;
  const bytecode::Facts& facts = function.facts;
  while (!is_it(function, id)) {
    const Expression& e = facts[id];
    ExpressionId key = bytecode::kNothing;
    if (e.kind == Kind::item && e.parts.size() == 2) {
      id = e.parts[0];
      key = e.parts[1];
    } else if (e.kind == Kind::call && e.parts.size() >= 2) {
      const Expression& method = facts[e.parts[0]];
      bool is_item = method.kind == Kind::attribute && !method.parts.empty() &&
                     (method.name == "get" || method.name == "setdefault");
      if (!is_item) return {};
      id = method.parts[0];
      key = e.parts[1];
    } else {
      return {};
    }
    root.has_items = true;
    root.key = facts[key].kind == Kind::constant ? facts[key].name : std::string_view{};
  }
  root.name = id;
  return root;
}

}  // namespace tenure::analyze
