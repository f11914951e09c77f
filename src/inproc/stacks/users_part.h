// inproc/stacks/users_part.h: what is asked of stacks that are interned already: whose file a code is, and how far the
// user's own code goes.
// World: inside. Any thread: reads published records only.
#pragma once
#include "ledger/writer.h"

namespace tenure::inproc {

ledger::CodeOrigin origin_of_file(const ledger::Writer& ledger, StringId file) noexcept;
bool is_users_code(const ledger::Writer& ledger, uint32_t code) noexcept;

// The stack up to the user's innermost Python frame; without one, its outermost frames. Inside an import it goes on to the
// import's first frame: what modules load must not look like the work of the line that imports them.
StackId users_part(const ledger::Writer& ledger, StackId stack) noexcept;

bool has_users_frame(const ledger::Writer& ledger, StackId stack) noexcept;

// Whether a module is being imported in this stack.
bool is_importing(const ledger::Writer& ledger, StackId stack) noexcept;

// The same where the module is no file of the user's: what those do while they are loaded is the program's own work.
bool is_loading_library(const ledger::Writer& ledger, StackId stack) noexcept;

}  // namespace tenure::inproc
