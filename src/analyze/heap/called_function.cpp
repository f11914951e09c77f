#include "analyze/heap/called_function.h"

#include <set>

namespace tenure::analyze {
namespace {

using bytecode::Expression;
using Kind = Expression::Kind;

// `repomd.parse`; empty: no names all along.
std::string written(const bytecode::Facts& facts, const Expression& e) {
  if (e.kind == Kind::local || e.kind == Kind::global || e.kind == Kind::deref)
    return std::string(e.name);
  if (e.kind != Kind::attribute || e.parts.empty()) return "";
  std::string of = written(facts, facts[e.parts[0]]);
  return of.empty() ? "" : of + "." + std::string(e.name);
}

}  // namespace

std::string called_function(const bytecode::Program& program, std::string_view file, int line) {
  std::set<std::string> found;
  for (const bytecode::Function& function : program.functions()) {
    if (function.code.file != file) continue;
    for (const bytecode::Fact& fact : function.facts.facts) {
      if (fact.kind != bytecode::Fact::Kind::calls || fact.line != line) continue;
      const Expression& call = function.facts[fact.value];
      if (!call.parts.empty()) found.insert(written(function.facts, function.facts[call.parts[0]]));
    }
  }
  return found.size() == 1 ? *found.begin() : "";
}

}  // namespace tenure::analyze
