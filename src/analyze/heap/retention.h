// analyze/heap/retention.h: what keeps a set of blocks alive: the container, attribute, closure, frame or cycle they hang from.
// World: offline. Pure: a heap graph in, holders out. holder_words.h says them.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analyze/heap/heap_graph.h"

namespace tenure::analyze {

enum class RetentionKind {
  python,     // a container, attribute, global, closure or cache
  frame,      // a stored traceback or frame keeps locals
  view,       // small views keep big bases
  gradients,  // a kept tensor keeps the graph that made it, and what that saved for backward
  cycle,      // reachable from nothing but itself
  native,     // only C or C++ refers to them
};

// A reference by name: `node` is called something in the namespace `space`.
struct NamedReference {
  uint32_t space = 0;
  uint32_t node = 0;
};

// How full a container with a limit is, in items. Several together are added up.
struct Bound {
  uint64_t length = 0;
  uint64_t limit = 0;  // 0: none is known
};

// Where blocks accumulate.
struct Retention {
  RetentionKind retention_kind = RetentionKind::python;
  uint32_t point = 0;  // what they hang from; 0: no single thing does, see `together`
  std::vector<NamedReference> together;  // the names that hold them at once
  std::vector<uint32_t> down;            // references from the point to a typical block
  uint64_t bytes = 0;                    // of the asked blocks that hang from it
  uint64_t count = 0;
  bool has_grown_since = false;  // more was added after the snapshot: counts are at least so high
  Bound bound;                   // a maxlen or maxsize that holds
  std::string
      attribute;  // "Linear.activations" if the point, or one of those together, is a container in an attribute
  // Where no single container has them: keys of those that all of them hang from at once ("Adam.param_groups",
  // "Adam.state"). Each of these has to let go of them.
  std::vector<std::string> at_once;
  // So many objects keep blocks in that attribute, and the point is of the fullest; or so many frames, if names are together.
  uint32_t alike = 1;
};

// Whether names in frames of several threads hold them, each its own: what started the threads is what keeps them.
bool is_in_threads(const HeapGraph& heap, const Retention& retention);

// What a container is known by from one snapshot to the next: the attribute, or the address of the object.
std::string key_of_container(const HeapGraph& heap, uint32_t node, const std::string& attribute);

// Holders of the buffers with these positions in the snapshot, most bytes first. What holds less than `least_share` of
// their bytes is left out.
std::vector<Retention> holders_of(const HeapGraph& heap, std::span<const uint32_t> buffers,
                                  double least_share);

// The container that has most of them as its items, where others hold each of them too, so that it is no holder alone.
std::optional<Retention> one_holder_of_several(const HeapGraph& heap,
                                               std::span<const uint32_t> buffers);

// From a root to the point, or to the first of the names that hold together.
std::vector<uint32_t> way_above(const HeapGraph& heap, const Retention& retention);

// Buffers that no root reaches in the snapshot: nobody was found to hold them.
uint64_t unexplained_bytes(const HeapGraph& heap, std::span<const uint32_t> buffers);

}  // namespace tenure::analyze
