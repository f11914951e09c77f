// report/live_frame.h: one frame of `tenure live`: a state and a size in, the rows of the terminal out.
// World: offline. Pure functions; nothing of the terminal is asked.
#pragma once
#include <string>
#include <vector>

#include "report/live_state.h"

namespace tenure::report {

struct FrameOptions {
  LiveSize size;
  bool has_color = false;
  bool is_utf8 = true;    // false: characters outside of ASCII are replaced
  bool is_plain = false;  // text for a file or a pipe: no keys, no empty rows, no selection
};

// At most size.rows rows of at most size.columns columns each, colours not counted.
std::vector<std::string> live_frame(const LiveState& state, const LiveView& view,
                                    const FrameOptions& options);

// How many lines of the program a frame shows: what Page Down moves by.
int lines_in_frame(const LiveState& state, const FrameOptions& options);

}  // namespace tenure::report
