#include "analyze/heap/name_use.h"

#include <algorithm>
#include <unordered_set>

namespace tenure::analyze {
namespace {

using bytecode::Expression;
using bytecode::ExpressionId;
using bytecode::Function;
using Kind = Expression::Kind;

constexpr std::string_view kStoringMethods[] = {
    "append", "appendleft", "extend",     "extendleft", "insert",    "add",
    "update", "push",       "setdefault", "put",        "put_nowait"};
constexpr std::string_view kLookingCalls[] = {
    "len",      "sum",       "print",  "max",         "min",     "sorted",  "list",
    "set",      "tuple",     "any",    "all",         "id",      "str",     "repr",
    "mean",     "type",      "bool",   "isinstance",  "std",     "var",     "median",
    "stack",    "vstack",    "hstack", "concatenate", "concat",  "cat",     "array",
    "asarray",  "enumerate", "zip",    "iter",        "heappop", "heapify", "nsmallest",
    "nlargest", "reversed",  "join",   "float",       "int",     "abs",     "round",
    "format",   "hash"};
constexpr std::string_view kStoringFunctions[] = {"heappush", "insort", "insort_left",
                                                  "insort_right"};
constexpr std::string_view kEmptyMakers[] = {
    "list", "dict", "set", "deque", "OrderedDict", "defaultdict", "Counter", "Queue", "field"};

template <size_t N>
bool is_one_of(std::string_view word, const std::string_view (&words)[N]) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

bool is_storing_method(const Expression& e) {
  return e.kind == Kind::attribute && !e.parts.empty() && is_one_of(e.name, kStoringMethods);
}

// `watch`, `hooks.watch`: a callee that has a name.
bool is_named(const bytecode::Facts& facts, const Expression& e) {
  if (e.kind == Kind::attribute && !e.parts.empty()) return is_named(facts, facts[e.parts[0]]);
  return e.kind == Kind::local || e.kind == Kind::global || e.kind == Kind::deref;
}

Use use_of_call(const Function& function, const Expression& call, bool has_items) {
  const bytecode::Facts& facts = function.facts;
  const Expression& callee = facts[call.parts.empty() ? bytecode::kNothing : call.parts[0]];
  if (is_one_of(callee.name, kEmptyMakers)) return has_items ? Use::opens : Use::none;
  return !has_items && is_named(facts, callee) ? Use::binds : Use::stores;
}

// `[None] * most`, `[None, None]`: places that others fill.
bool makes_places(const NameScope& scope, const Function& function, ExpressionId value) {
  const bytecode::Facts& facts = function.facts;
  const Expression& e = facts[value];
  auto is_none = [&](ExpressionId part) { return facts[part].is_none; };
  if (e.kind == Kind::display)
    return !e.parts.empty() && std::all_of(e.parts.begin(), e.parts.end(), is_none);
  if (e.kind != Kind::other) return false;
  auto is_it = [&](ExpressionId part) { return scope.is_it(function, part); };
  auto are_places = [&](ExpressionId part) {
    return facts[part].kind == Kind::display && makes_places(scope, function, part);
  };
  return std::any_of(e.parts.begin(), e.parts.end(), are_places) &&
         std::none_of(e.parts.begin(), e.parts.end(), is_it);
}

}  // namespace

Use use_of_value(const NameScope& scope, const Function& function, ExpressionId value,
                 bool has_items) {
  const Expression& e = function.facts[value];
  switch (e.kind) {
    case Kind::constant:
      return has_items ? Use::stores : Use::none;
    case Kind::empty:
      return has_items ? Use::opens : Use::none;
    case Kind::call:
      return use_of_call(function, e, has_items);
    case Kind::choice: {  // `log = log or []`
      Use use = Use::none;
      for (ExpressionId part : e.parts) {
        if (scope.is_it(function, part) || function.facts[part].kind == Kind::choice) continue;
        use = std::max(use, use_of_value(scope, function, part, has_items));
      }
      return use;
    }
    default:
      return !has_items && makes_places(scope, function, value) ? Use::none : Use::stores;
  }
}

// `log.setdefault(k, [])` begins what others fill, and so does `slots.append(None)`.
Use use_of_method(const Function& function, const Expression& call) {
  const bytecode::Facts& facts = function.facts;
  const Expression& method = facts[call.parts[0]];
  if (!is_storing_method(method)) return Use::none;
  bool is_opening = method.name == "setdefault" && call.parts.size() == 3 &&
                    facts[call.parts[2]].kind == Kind::empty;
  bool is_placeholder = call.parts.size() == 2 && facts[call.parts[1]].is_none;
  return is_opening || is_placeholder ? Use::opens : Use::stores;
}

std::vector<HandedOn> handed_on(const NameScope& scope, const Function& function,
                                ExpressionId value) {
  const bytecode::Facts& facts = function.facts;
  std::vector<HandedOn> found, left{{value, false}};
  std::unordered_set<ExpressionId> seen;
  while (!left.empty()) {
    auto [id, is_part] = left.back();
    left.pop_back();
    if (!seen.insert(id).second) continue;
    const Expression& e = facts[id];
    if (scope.is_it(function, id)) {
      found.push_back({id, is_part});
    } else if (is_storing_method(e) && scope.is_it(function, e.parts[0])) {
      found.push_back({e.parts[0], true});
    } else if (e.kind == Kind::display || e.kind == Kind::choice) {
      for (ExpressionId part : e.parts) left.push_back({part, is_part || e.kind == Kind::display});
    }
  }
  return found;
}

bool stores_into_argument(const Function& function, const Expression& call) {
  return call.parts.size() >= 3 && is_one_of(function.facts[call.parts[0]].name, kStoringFunctions);
}

bool only_looks(const Function& function, const Expression& call) {
  return !call.parts.empty() && is_one_of(function.facts[call.parts[0]].name, kLookingCalls);
}

}  // namespace tenure::analyze
