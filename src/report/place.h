// report/place.h: a line of the user's program in words: `train.py:42 in train()`.
// World: offline. Pure functions; paths are compared as text, no file is looked at.
#pragma once
#include <string>

#include "analyze/findings/findings.h"

namespace tenure::report {

// `file` as seen from `directory` when that is shorter; as it is when `directory` is empty.
std::string shown_path(const std::string& file, const std::string& directory);

// `train.py:42`
std::string line_text(const analyze::Place& place, const std::string& directory);

// ` in train()`; empty at module level.
std::string function_text(const analyze::Place& place);

// `train.py:42 in train()`
std::string place_text(const analyze::Place& place, const std::string& directory);

}  // namespace tenure::report
