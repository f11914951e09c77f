// analyze/heap/python_containers.h: the containers of Python objects with most items that a snapshot saw, by name.
// World: offline. Pure.
#pragma once
#include <vector>

#include "analyze/heap/heap_graph.h"
#include "analyze/heap/holder.h"
#include "analyze/heap/kept_name.h"

namespace tenure::analyze {

struct PythonContainer {
  Holder holder;
  KeptName name;  // what the code calls it
  uint32_t items = 0;
  SiteId table;  // the line that made its table of items
};

// With at least so many items, most first; only those whose table is a tracked block and that have a name.
std::vector<PythonContainer> python_containers(const HeapGraph& heap, uint32_t fewest_items,
                                               const std::string& main_file);

}  // namespace tenure::analyze
