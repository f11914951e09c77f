// analyze/growth/copy_on_write.h: forked workers that copy their parent's memory page by page, because they read Python
// objects.
// World: offline. Reading an object writes its reference count, and a page that is written is copied.
#pragma once
#include <optional>
#include <string>

#include "analyze/heap/holder.h"
#include "analyze/run/place.h"
#include "analyze/run/process_run.h"

namespace tenure::analyze {

struct CopiedMemory {
  uint64_t bytes = 0;
  uint64_t objects = 0;  // of the container that is read
  Holder holder;
  Place read_at;
  std::optional<Place> made_at;
  std::string per;
  std::optional<uint64_t> steps;
};

// Nothing unless the process copied much, step by step, and its parent made so many Python objects in a container that
// the worker's own functions read.
std::optional<CopiedMemory> find_copy_on_write(const ProcessRun& process);

}  // namespace tenure::analyze
