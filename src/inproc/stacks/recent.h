// inproc/stacks/recent.h: what a thread found last in the shared tables, so that it need not look again.
// World: inside. Each belongs to one thread. Direct-mapped: an entry is simply replaced by another one of its place.
// Ids are those of one ledger: whoever changes the ledger empties them.
#pragma once
#include <cstdint>

#include "inproc/stacks/code_cache.h"

namespace tenure::inproc {

// Frames by what they are and the stack outside them: saves four tables, and the line table of the code.
struct RecentFrames {
  struct Entry {
    RawPythonFrame raw;  // code nullptr: empty
    StackId outer;
    StackId stack;
    uint32_t code_entry;
  };
  static constexpr int kBits = 8;
  Entry entries[1 << kBits];

  Entry& at(StackId outer, const RawPythonFrame& raw) noexcept {
    uint32_t mixed = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(raw.code) >> 4) +
                     static_cast<uint32_t>(raw.lasti) * 0x85ebca6bu + outer.value * 0xc2b2ae35u;
    return entries[mixed * 0x9e3779b1u >> (32 - kBits)];
  }
};

struct LoopAround {
  KnownLoop loop;
  int32_t
      outer;  // `for` loops of the frame below its iterator; kNotFollowed: its iterator is not asked
  SeriesId series;  // none until it has been counted
};
inline constexpr int32_t kNotFollowed = -1;

// The loops around a move of a frame's instruction: from where the frame stands in `from` to another place of its code,
// or to the same. The innermost first.
struct LoopsAround {
  StackId from;
  int32_t to;
  int32_t count;
  SeriesId rerun;  // none until it has been counted
  LoopAround loops[CodeCache::kDeepestNest];
};

struct RecentLoops {
  static constexpr uint32_t kEntries = 32;
  LoopsAround entries[kEntries];

  LoopsAround& at(StackId from, int32_t to) noexcept {
    return entries[(from.value + static_cast<uint32_t>(to) * 31) % kEntries];
  }
};

// Series of native moves by the frame that moved, with all outside it, and where it moved to.
struct RecentMoves {
  struct Entry {
    StackId from;
    SeriesId series;
    uintptr_t to;
  };
  static constexpr uint32_t kEntries = 32;
  Entry entries[kEntries];

  Entry& at(StackId from, uintptr_t to) noexcept {
    return entries[(from.value + to * 31) % kEntries];
  }
};

// Native stacks by their innermost frame and the stack outside it: saves the names of loaded objects and three tables.
struct RecentNativeFrames {
  struct Entry {
    uintptr_t pc;
    StackId outer;
    StackId stack;  // none: empty
  };
  static constexpr int kBits = 8;
  uint32_t
      rows;  // NativeMemo::generation they were found in: other code may lie at an address since
  Entry entries[1 << kBits];

  Entry& at(StackId outer, uintptr_t pc) noexcept {
    uint32_t mixed = static_cast<uint32_t>(pc) * 0x85ebca6bu + outer.value * 0xc2b2ae35u;
    return entries[mixed * 0x9e3779b1u >> (32 - kBits)];
  }
};

// Where a `for` loop was when its frame was last left for another one of its depth: coroutines and generators take turns.
struct LeftIterators {
  struct Entry {
    const void* frame;
    const void* iterator;  // nullptr: empty
    int64_t position;
    int32_t loop_start;
  };
  static constexpr uint32_t kEntries = 256;
  Entry entries[kEntries];

  Entry& at(const void* iterator) noexcept {
    return entries[(static_cast<uint32_t>(reinterpret_cast<uintptr_t>(iterator) >> 4) *
                    0x9e3779b1u) >>
                   24];
  }
};

// The same of frames that may be left and gone on with: where they stood, and what their variables were.
struct LeftFrames {
  struct Entry {
    const void* frame;  // nullptr: empty
    uint64_t mark;
    uint32_t entry;  // of its code in the code cache
    int32_t lasti;
  };
  static constexpr uint32_t kEntries = 256;
  Entry entries[kEntries];

  Entry& at(const void* frame) noexcept {
    return entries[(static_cast<uint32_t>(reinterpret_cast<uintptr_t>(frame) >> 4) * 0x9e3779b1u) >>
                   24];
  }
};

}  // namespace tenure::inproc
