// analyze/page/groups.h: the lines of a process put together by who keeps their memory, by whose code they are, and by the operation
// that made it: other ways to look at the icicle.
// World: offline. Pure.
#pragma once
#include "analyze/growth/judgement.h"
#include "analyze/page/page.h"

namespace tenure::analyze {

// Needs the lines of `out`.
void add_groups(const std::vector<Judgement>& lines, PageProcess& out);

// Whose code it is, a text: the installed package, the standard library, or the file of the user; of native code the library.
std::string module_of(const Place& place);

}  // namespace tenure::analyze
