// analyze/heap/block_path.h: one block of a snapshot: who holds it, and one way from a root to it, step by step.
// World: offline. Pure.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/heap/heap_graph.h"
#include "analyze/heap/holder.h"
#include "analyze/run/place.h"

namespace tenure::analyze {

// A block as people write it: "b3.17" is block 17 of the third snapshot that is kept.
struct BlockId {
  uint32_t snapshot = 0;  // from 1
  uint32_t buffer = 0;
};
std::string text_of(BlockId id);
std::optional<BlockId> parse_block_id(std::string_view text);

struct PathStep {
  std::string name;  // a text: a global, an item, a module
  std::string type;  // of what it leads to; empty: no Python object
  uint32_t length = 0;
  bool is_cut = false;  // without this reference the holder would let go of the block
};

struct BlockPath {
  uint64_t bytes = 0;
  std::string holder;  // a sentence; empty: nothing leads to it
  std::string
      form;  // "float32 [64, 512]" of the array or tensor whose data it is; empty: not known
  std::vector<PathStep> steps;  // from the root on, the block itself left out
  std::optional<Place> made;
};

BlockPath path_to_block(const HeapGraph& heap, uint32_t buffer, const std::string& main_file);

// The buffer that covers an address.
std::optional<uint32_t> buffer_at(const ledger::Snapshot& snapshot, uint64_t address);

}  // namespace tenure::analyze
