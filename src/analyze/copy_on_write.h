// analyze/copy_on_write.h: forked workers that copy their parent's memory page by page, because they read Python objects.
// World: offline. Reading an object writes its reference count, and a page that is written is copied.
#pragma once
#include <optional>

#include "analyze/findings.h"
#include "analyze/frames.h"
#include "analyze/record.h"
#include "analyze/units.h"

namespace tenure::analyze {

// For the process at this position in the record, whose frames and units are given. Nothing unless it copied much, step by
// step, and its parent made so many Python objects in a container that the worker's own functions read.
std::optional<Finding> find_copy_on_write(const Record& record, int process, Frames& frames,
                                          const Units& units);

}  // namespace tenure::analyze
