// analyze/heap/name_scope.h: where a name means the container in question: in which functions, by which expressions.
// World: offline. Pure.
#pragma once
#include "analyze/heap/kept_name.h"
#include "bytecode/program.h"

namespace tenure::analyze {

class NameScope {
 public:
  NameScope(const bytecode::Program& program, KeptName name);

  const KeptName& name() const { return name_; }
  // How many functions may be the owner of a local: the answer is only sure with one.
  size_t owners() const { return owners_; }

  // Whether the expression is the name.
  bool is_it(const bytecode::Function& function, bytecode::ExpressionId e) const;

  // The name behind items: `log` of `log['train'][0]`, of `log.get(k)` and of `log.setdefault(k, [])`; kNothing: it is not.
  struct Root {
    bytecode::ExpressionId name = bytecode::kNothing;
    bool has_items = false;
    std::string_view key;  // of the first item, if it is a text
  };
  Root root_of(const bytecode::Function& function, bytecode::ExpressionId e) const;

 private:
  bool is_variable(const bytecode::Function& function, const bytecode::Expression& e) const;
  bool is_attribute(const bytecode::Function& function, const bytecode::Expression& e) const;
  bool is_owner(const bytecode::Function& function) const;
  bool is_inside_owner(const bytecode::Function& function) const;

  KeptName name_;
  size_t owners_ = 0;
  bool is_class_known_ = false;
};

}  // namespace tenure::analyze
