// analyze/page/call_tree.h: who called whom when memory was made, and how much of it there was: the icicle of the page.
// World: offline. Pure. Reads no symbols of libraries: these are named by their files.
#pragma once
#include <vector>

#include "analyze/page/page.h"
#include "analyze/run/frames.h"

namespace tenure::analyze {

// At most `most` calls, the largest. Of all sites but the `named` largest ones only the bytes count, as the root's.
std::vector<PageCall> call_tree(Frames& frames, size_t most, size_t named);

}  // namespace tenure::analyze
