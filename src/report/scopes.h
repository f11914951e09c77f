// report/scopes.h: sessions, graphs and functions, for `tenure show --scopes`.
// World: offline. Pure function.
#pragma once
#include <string>
#include <vector>

#include "analyze/run/scopes.h"

namespace tenure::report {

// One line per row below a head line; ends with a newline. No scope: a sentence.
std::string scopes_table(const std::vector<analyze::ScopeRow>& rows, const std::string& directory);

}  // namespace tenure::report
