// report/live_lines.h: the lines that the live view shows: filtered, in the order asked for, and which one is selected.
// World: offline. Pure functions.
#pragma once
#include <string>
#include <vector>

#include "report/live_state.h"

namespace tenure::report {

// The same for a line as long as the program runs.
std::string key_of(const LiveLine& line);

// Pointers into `state`.
std::vector<const LiveLine*> shown_lines(const LiveState& state, const LiveView& view);

// Position of the selected line among those shown; 0 where it is not among them.
size_t selected_in(const std::vector<const LiveLine*>& lines, const LiveView& view);

}  // namespace tenure::report
