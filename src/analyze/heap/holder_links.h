// analyze/heap/holder_links.h: every link of the way from a root to a block that is kept, for those who look for ways that
// they know (findings/acts.h). A path that people read leaves out items without a name; this does not.
// World: offline. Pure.
#pragma once
#include <string>
#include <vector>

#include "analyze/heap/heap_graph.h"
#include "analyze/heap/retention.h"

namespace tenure::analyze {

struct HolderLink {
  std::string owner;  // the class, type, module or function whose `name` it is; empty: not known
  std::string name;   // empty: an item without one
  std::string type;   // of what it leads to
  bool is_point = false;     // to what the blocks hang from
  bool is_of_class = false;  // an attribute of the class itself
};

// Of a cycle: once round it.
std::vector<HolderLink> links_to(const HeapGraph& heap, const Retention& retention);

}  // namespace tenure::analyze
