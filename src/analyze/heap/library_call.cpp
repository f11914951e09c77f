#include "analyze/heap/library_call.h"

#include <algorithm>
#include <map>

#include "analyze/heap/name_scope.h"
#include "analyze/heap/rules.h"

namespace tenure::analyze {
namespace {

using bytecode::Expression;
using bytecode::ExpressionId;
using bytecode::Fact;
using bytecode::Function;
using Kind = Expression::Kind;

// How names of methods begin that keep what they are given.
constexpr std::string_view kKeepingVerbs[] = {
    "add",    "append",  "register", "connect", "attach", "subscribe", "put",   "push",
    "insert", "enqueue", "callback", "enter",   "submit", "schedule",  "call_", "extend",
    "update", "start",   "watch",    "track",   "bind",   "install",   "store", "save",
    "cache",  "record",  "listen",   "observe", "on_",    "set",       "merge", "create",
    "spawn",  "ensure",  "finalize", "include", "push_",  "signal",    "hook",  "send"};

template <class Words>
bool has_word(const Words& words, std::string_view word) {
  return !word.empty() && std::find(std::begin(words), std::end(words), word) != std::end(words);
}

bool is_variable(const Expression& e) {
  return e.kind == Kind::local || e.kind == Kind::global || e.kind == Kind::deref;
}

bool is_keeping_verb(std::string_view name) {
  while (name.starts_with('_')) name.remove_prefix(1);
  return std::any_of(std::begin(kKeepingVerbs), std::end(kKeepingVerbs),
                     [&](std::string_view verb) { return name.starts_with(verb); });
}

class CallsOfFunction {
 public:
  CallsOfFunction(const Function& function, const std::vector<NameScope>& scopes,
                  const KeptClues& clues)
      : function_(function), scopes_(scopes), clues_(clues) {}

  // How many of three clues speak for a call.
  size_t clues_for(const Expression& call) const {
    if (call.parts.empty()) return 0;
    const Expression& callee = facts()[call.parts[0]];
    if (callee.kind == Kind::attribute && has_word(clues_.own_methods, callee.name)) return 0;
    bool is_library_function = has_word(clues_.makers, callee.name);
    bool is_of_holder = is_library_function || is_receiver(callee) ||
                        (!is_users_class(callee.name) && has_word(clues_.types, callee.name));
    size_t given = is_any_given(call);
    if (const Expression* made = started(callee)) {
      is_of_holder = is_receiver(facts()[made->parts[0]]);
      given = is_any_given(*made) || is_given(callee.parts[0]);
    }
    return is_of_holder + given + (is_library_function || is_keeping_verb(callee.name));
  }

 private:
  const bytecode::Facts& facts() const { return function_.facts; }

  bool is_users_class(std::string_view name) const { return has_word(clues_.own_classes, name); }

  bool is_any_given(const Expression& call) const {
    for (size_t i = 1; i < call.parts.size(); ++i)
      if (is_given(call.parts[i])) return true;
    return false;
  }

  // The call that made what is started here: `worker` of `worker = Thread(target=run)`, `worker.start()`.
  const Expression* started(const Expression& callee) const {
    bool starts = callee.kind == Kind::attribute && callee.name == "start" && !callee.parts.empty();
    return starts ? call_that_made(facts()[callee.parts[0]]) : nullptr;
  }

  // `LOGGER` of `LOGGER.addHandler`, `atexit` of `atexit.register`.
  bool is_receiver(const Expression& callee) const {
    if (callee.kind != Kind::attribute || callee.parts.empty()) return false;
    ExpressionId of = callee.parts[0];
    bool is_module = is_variable(facts()[of]) && facts()[of].name == clues_.module;
    return is_module || std::any_of(scopes_.begin(), scopes_.end(), [&](const NameScope& scope) {
             return scope.root_of(function_, of).name != bytecode::kNothing;
           });
  }

  // Something on the way to the blocks is made or named in the argument.
  bool is_given(ExpressionId argument) const {
    return bytecode::contains(facts(), argument, [&](const Expression& e) {
      if (e.kind == Kind::call && !e.parts.empty())
        return has_word(clues_.types, facts()[e.parts[0]].name);
      if (e.kind == Kind::attribute && has_word(clues_.functions, e.name)) return true;
      if (e.kind == Kind::function) return has_word(clues_.functions, "<lambda>");
      if (!is_variable(e)) return false;
      if (e.name == "self" && has_word(clues_.types, function_.class_name())) return true;
      return has_word(clues_.functions, e.name) || has_word(clues_.types, type_of(e));
    });
  }

  // What the function makes and calls by this name; nullptr, empty: not known.
  const Expression* call_that_made(const Expression& variable) const {
    for (const Fact& fact : facts().facts) {
      const Expression& value = facts()[fact.value];
      if (fact.kind == Fact::Kind::binds && value.kind == Kind::call && !value.parts.empty() &&
          facts()[fact.target].name == variable.name)
        return &value;
    }
    return nullptr;
  }

  std::string_view type_of(const Expression& variable) const {
    const Expression* made = call_that_made(variable);
    return made ? std::string_view(facts()[made->parts[0]].name) : std::string_view{};
  }

  const Function& function_;
  const std::vector<NameScope>& scopes_;
  const KeptClues& clues_;
};

KeptClues with_own_classes(const bytecode::Program& program, KeptClues clues) {
  for (const Function& function : program.functions()) {
    clues.own_classes.emplace_back(function.class_name());
    if (has_word(clues.types, function.class_name()))
      clues.own_methods.emplace_back(function.bare_name());
  }
  return clues;
}

}  // namespace

std::optional<StoringLine> find_library_call(const bytecode::Program& program,
                                             const std::vector<KeptName>& names,
                                             const KeptClues& given) {
  std::vector<NameScope> scopes;
  for (const KeptName& name : names) scopes.emplace_back(program, name);
  KeptClues clues = with_own_classes(program, given);
  std::map<std::pair<std::string, int>, std::string> best;  // file, line -> function
  size_t most = kFewestClues;
  for (const Function& function : program.functions()) {
    CallsOfFunction calls(function, scopes, clues);
    for (const Fact& fact : function.facts.facts) {
      if (fact.kind != Fact::Kind::calls) continue;
      size_t found = calls.clues_for(function.facts[fact.value]);
      if (found < most) continue;
      if (found > most) best.clear();
      most = found;
      best[{std::string(function.code.file), fact.line}] = function.told_name();
    }
  }
  if (best.size() != 1) return std::nullopt;
  const auto& [place, function] = *best.begin();
  return StoringLine{place.first, place.second, function};
}

}  // namespace tenure::analyze
