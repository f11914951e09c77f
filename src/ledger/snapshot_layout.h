// ledger/snapshot_layout.h: who holds what at one moment: the part of the Python heap that leads to tracked blocks.
// World: both. A forked child of the program writes it into a memfd and hands that to the supervisor; readers only read.
// docs/snapshot-format.md is the contract; a change here changes kSnapshotVersion and that page.
#pragma once
#include <cstdint>

#include "base/ids.h"

namespace tenure::ledger {

inline constexpr char kSnapshotMagic[8] = {'T', 'E', 'N', 'U', 'R', 'E', 'S', 'N'};
inline constexpr uint32_t kSnapshotVersion = 2;

// Sections follow the header, each at an offset that is a multiple of 8.
enum class SnapshotSection : uint32_t {
  nodes,    // SnapshotNode[]; node 0 is the super root
  edges,    // u32[]: targets, grouped by source (SnapshotNode::first_edge)
  labels,   // u32[]: string of each edge, parallel to edges; 0: not labelled
  buffers,  // SnapshotBuffer[]
  types,    // SnapshotType[]: counts over the whole heap, pruned or not
  strings,  // {u32 length, bytes}, at multiples of 8; string 0 is empty
  blocks,   // SnapshotBlock[]: the largest live blocks, whoever holds them
  kCount
};
inline constexpr uint32_t kSnapshotSections = static_cast<uint32_t>(SnapshotSection::kCount);

enum class SnapshotReason : uint32_t { growth, exit, error, out_of_memory, interrupted, asked };

struct SnapshotHeader {
  char magic[8];
  uint32_t version;
  uint32_t architecture;
  int32_t pid;
  uint32_t reason;  // SnapshotReason
  Tick tick;        // of the ledger, when it was taken
  uint64_t mono_ns;
  uint64_t pause_ns;    // how long the program stood still for it
  uint64_t objects;     // in the whole heap
  uint64_t live_bytes;  // of the ledger, when it was taken
  struct {
    uint64_t offset;
    uint64_t count;  // records; bytes for strings
  } sections[kSnapshotSections];
};

enum class NodeKind : uint8_t {
  super_root,
  object,        // a Python object; key is its address
  module_root,   // an entry of sys.modules; word is its name; also the object itself
  frame_root,    // a running frame of a thread; word is "step() of train.py, thread MainThread"
  native_root,   // references that no visited object accounts for: C or C++ holds them
  garbage_root,  // reachable from nothing: waits for the cyclic collector
  buffer,        // a tracked block; key is its address
  native,  // a synthetic node an adapter told of (an autograd node, a session); word says what
};

struct SnapshotNode {
  uint64_t key;
  uint32_t type;  // in the types section; 0 for what is no object
  uint32_t
      word;  // string: name of a function, module, class or frame, length of a container; 0: none
  uint32_t size;  // own bytes of the object, saturated
  int32_t
      excess;  // references that are not explained by the edges of the whole heap; > 0: native code holds it too
  uint32_t first_edge;  // into edges and labels
  uint32_t edge_count;
  uint8_t kind;   // NodeKind
  uint8_t flags;  // kNode*
  uint16_t reserved;
  uint32_t length;  // items of a list, tuple, dict, set or deque; 0 otherwise
  uint32_t bound;   // maxlen of a deque, maxsize of an lru_cache; 0: none known
};
inline constexpr uint8_t kNodeIsNamespace =
    1;  // a module, module dict, class, class dict, instance dict or frame
inline constexpr uint8_t kNodeIsUsers =
    2;  // code or module of the user's own: not the standard library, no installed package

struct SnapshotBuffer {
  uint32_t node;
  uint32_t ordinal;  // among the births of its site
  SiteId site;
  uint32_t reserved;
  uint64_t address;
  uint64_t bytes;  // of a sampled block: of all that it stands for
};

struct SnapshotBlock {
  uint64_t address;
  uint64_t bytes;
  SiteId site;
  uint32_t ordinal;  // among the births of its site
  StringId op;       // the framework's op that made it, a string of the ledger; 0: none is known
  uint32_t reserved;
};

struct SnapshotType {
  uint32_t name;  // string
  uint32_t reserved;
  uint64_t count;
  uint64_t bytes;
};

}  // namespace tenure::ledger
