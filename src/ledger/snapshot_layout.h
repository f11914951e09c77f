// ledger/snapshot_layout.h: who holds what at one moment: the part of the Python heap that leads to tracked blocks.
// World: both. A forked child of the program writes it into a memfd and hands that to the supervisor; readers only read.
// docs/snapshot-format.md is the contract; a change here changes kSnapshotVersion and that page.
#pragma once
#include <cstdint>

#include "base/ids.h"

namespace tenure::ledger {

inline constexpr char kSnapshotMagic[8] = {'T', 'E', 'N', 'U', 'R', 'E', 'S', 'N'};
inline constexpr uint32_t kSnapshotVersion = 3;

// Sections follow the header, each at an offset that is a multiple of 8.
enum class SnapshotSection : uint32_t {
  nodes,       // SnapshotNode[]; node 0 is the super root
  edges,       // u32[]: targets, grouped by source (SnapshotNode::first_edge)
  labels,      // u32[]: string of each edge, parallel to edges; 0: not labelled
  buffers,     // SnapshotBuffer[]
  types,       // SnapshotType[]: counts over the whole heap, pruned or not
  strings,     // {u32 length, bytes}, at multiples of 8; string 0 is empty
  blocks,      // SnapshotBlock[]: the largest live blocks, whoever holds them
  codes,       // SnapshotCode[]: code objects of the user's own files
  code_words,  // u32[]: names, variables and constants of the codes (SnapshotCode::words)
  code_bytes,  // bytes: instructions and line tables of the codes
  kCount
};
inline constexpr uint32_t kSnapshotSections = static_cast<uint32_t>(SnapshotSection::kCount);
inline constexpr uint32_t kStringStep = 8;  // strings begin at multiples of it

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
  uint32_t python;      // version of the interpreter whose codes these are: 0x30b for 3.11
  uint32_t lost_codes;  // code objects of the user's own files that found no room
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
inline constexpr uint8_t kNodeHasUsersClass = 4;  // an instance of a class of the user's own

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

// A Python code object as it lay in memory, its instructions specialised or not; what a debugger or the JIT had put over an
// instruction is taken away again.
struct SnapshotCode {
  uint32_t file;  // string: co_filename
  uint32_t name;  // string: the qualified name where kCodeNameIsQualified is set, else the bare one
  int32_t first_line;  // co_firstlineno
  uint32_t co_flags;
  uint32_t arguments;  // that can be given by place
  uint32_t keyword_only_arguments;
  uint32_t instructions, instruction_bytes;  // in code_bytes
  uint32_t lines, line_bytes;                // in code_bytes: co_lnotab or co_linetable
  // In code_words, one behind the other: a string per name (co_names), {string, kCodeVariable*} per variable in the order of
  // the frame's slots, {CodeConstant, value} per constant.
  uint32_t words, names, variables, constants;
  uint32_t flags;  // kCode*
  uint32_t reserved;
};
inline constexpr uint32_t kCodeNameIsQualified = 1;
inline constexpr uint32_t kCodeVariableIsLocal = 1, kCodeVariableIsCell = 2,
                          kCodeVariableIsFree = 4;

enum class CodeConstant : uint32_t {
  other,
  none,    // None
  number,  // int, float, bool; value: of an int of at most 31 bits, else 0
  text,    // a str of at most kLongestCodeText bytes; value: string
  texts,   // a tuple of such; value: string, one per line
  code,    // value: number of a code; it may be one that found no room
};
inline constexpr uint32_t kLongestCodeText = 96;

}  // namespace tenure::ledger
