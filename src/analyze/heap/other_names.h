// analyze/heap/other_names.h: what a container is called elsewhere in the code: the parameter it is handed to, the name or
// attribute it is given to, what the function that returned it calls it.
// World: offline. Pure. Nothing where two functions could be meant.
#pragma once
#include <optional>

#include "analyze/heap/kept_name.h"
#include "bytecode/program.h"

namespace tenure::analyze {

// What `name = value` or `self.name = value` calls the value.
std::optional<KeptName> name_of_target(const bytecode::Function& function,
                                       bytecode::ExpressionId target);

// What the function that is called calls its argument: the part of the call with this number.
std::optional<KeptName> name_of_parameter(const bytecode::Program& program,
                                          const bytecode::Function& function,
                                          const bytecode::Expression& call, size_t part);

// What the function that is called calls what it returns, if that is one name.
std::optional<KeptName> name_of_returned(const bytecode::Program& program,
                                         const bytecode::Function& function,
                                         const bytecode::Expression& call);

}  // namespace tenure::analyze
