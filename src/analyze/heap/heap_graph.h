// analyze/heap/heap_graph.h: a snapshot made fit for questions: references in both directions, what each object dominates, and
// the way a person would go from a root to it.
// World: offline. Immutable once made; keeps a reference to the snapshot.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "analyze/heap/dominators.h"
#include "ledger/snapshot_reader.h"

namespace tenure::analyze {

inline constexpr std::string_view kCacheType = "functools._lru_cache_wrapper";

class HeapGraph {
 public:
  explicit HeapGraph(const ledger::Snapshot& snapshot);

  const ledger::Snapshot& snapshot() const { return snapshot_; }
  uint32_t size() const { return successors_.size(); }
  const DominatorTree& tree() const { return tree_; }
  std::span<const uint32_t> dominated_by(uint32_t node) const { return children_.of(node); }
  std::span<const uint32_t> referrers(uint32_t node) const { return predecessors_.of(node); }
  bool dominates(uint32_t above, uint32_t below) const;  // also itself
  bool is_reached(uint32_t node) const { return node == 0 || leave_[node] != 0; }

  // Text of the reference; empty if there is none or it has no name.
  std::string_view label(uint32_t from, uint32_t to) const;

  // From the super root to the node, through as well-known names as there are.
  std::vector<uint32_t> way_to(uint32_t node) const;

  // References from a node to one that it dominates; only the two if they are too far apart to be worth the search.
  std::vector<uint32_t> way_between(uint32_t above, uint32_t below) const;

  ledger::NodeKind kind(uint32_t node) const { return snapshot_.kind(node); }
  std::string_view type(uint32_t node) const { return snapshot_.type_name(node); }

  // Splits by name, and is never an answer itself: a module, a class, a frame, their dictionaries, a plain object.
  bool is_namespace(uint32_t node) const;
  // A namespace of which there is one: a module, a class, a frame, or the dictionary of one.
  bool is_well_known(uint32_t node) const;
  bool is_class(uint32_t node) const;
  bool is_module(uint32_t node) const;
  bool is_frame(uint32_t node) const;
  // Whose dictionary it is; the node itself if it is no dictionary of anything.
  uint32_t owner_of(uint32_t node) const;
  // The `threading.local` whose dictionaries, one per thread, this one holds; the node itself if it is no such thing.
  uint32_t thread_local_of(uint32_t dict) const;
  // Holds names and items for its owner, so no text names it: `__dict__`, a cell, a tuple of cells.
  bool is_internal_container(uint32_t node) const;
  // Owns or views a block itself: a tensor, an array, what an adapter told of, the block.
  bool is_data_owner(uint32_t node) const { return is_data_owner_[node]; }
  // A node of torch's gradient graph.
  bool is_gradient_node(uint32_t node) const;
  // A name in it is one that the user gave: a module, function, frame or class of the user's own, or an object of such a class.
  bool is_users(uint32_t space) const;
  // A list, dict, set, deque, tuple or cache: a thing with items.
  bool is_container(uint32_t node) const;

 private:
  void number_tree();
  void find_ways();
  void find_data_owners();

  const ledger::Snapshot& snapshot_;
  Graph successors_, predecessors_;
  DominatorTree tree_;
  Graph children_;  // of the tree
  std::vector<uint32_t> enter_,
      leave_;  // the tree's nodes below v are those entered in [enter, leave)
  std::vector<uint32_t> reached_from_;
  std::vector<bool> is_data_owner_;
};

}  // namespace tenure::analyze
