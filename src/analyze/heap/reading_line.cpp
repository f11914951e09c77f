#include "analyze/heap/reading_line.h"

namespace tenure::analyze {
namespace {

using Kind = bytecode::Expression::Kind;

bool is_name(const bytecode::Expression& e, const KeptName& name) {
  if (e.name != name.name || e.name.empty()) return false;
  if (name.kind == KeptName::Kind::attribute) return e.kind == Kind::attribute;
  return e.kind == Kind::local || e.kind == Kind::global || e.kind == Kind::deref;
}

}  // namespace

std::optional<int> reading_line(const bytecode::Function& function, const KeptName& name) {
  for (const bytecode::Expression& e : function.facts.expressions) {
    if (e.line > 0 && is_name(e, name) && !e.is_target && !e.is_only_counted) return e.line;
  }
  return std::nullopt;
}

}  // namespace tenure::analyze
