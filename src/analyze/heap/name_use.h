// analyze/heap/name_use.h: what a fact does to a container that it names: opens, fills or hands it on.
// World: offline. Pure.
#pragma once
#include <vector>

#include "analyze/heap/name_scope.h"

namespace tenure::analyze {

// In the order of what they tell. `opens`: puts an empty container into it. `binds`: gives the name to what a call has made,
// which others may know too. `escapes`: it goes on living under a name that is not seen here.
enum class Use { none, opens, binds, stores, escapes };

// What `name = value` does, or `name[key] = value` where it has items.
Use use_of_value(const NameScope& scope, const bytecode::Function& function,
                 bytecode::ExpressionId value, bool has_items);

// What a call does to the container whose method it calls.
Use use_of_method(const bytecode::Function& function, const bytecode::Expression& call);

// What is given on by an expression: the name itself, or a method of it that stores. `part`: it is inside of a list or tuple
// that is written there, so that no other name can be followed.
struct HandedOn {
  bytecode::ExpressionId name = bytecode::kNothing;
  bool is_part = false;
};
std::vector<HandedOn> handed_on(const NameScope& scope, const bytecode::Function& function,
                                bytecode::ExpressionId value);

// `heapq.heappush(agenda, item)`: puts the rest into its first argument.
bool stores_into_argument(const bytecode::Function& function, const bytecode::Expression& call);

// A call that only looks at its arguments: no name goes on living.
bool only_looks(const bytecode::Function& function, const bytecode::Expression& call);

}  // namespace tenure::analyze
