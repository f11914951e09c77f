// inproc/stacks/code_cache.h: what is known of each Python code object met: its id in the ledger and its loops.
// World: inside. Any thread. Keyed by address AND fingerprint: code objects die and their addresses are reused.
#pragma once
#include <span>

#include "inproc/stacks/intern_table.h"
#include "inproc/stacks/python_frames.h"
#include "inproc/stacks/stack_table.h"

namespace tenure::inproc {

struct KnownLoop {
  LoopRange range;
  int32_t exit;  // of a `for`; kNoExit otherwise

  // The iterator of a `for` is surely on the value stack at this instruction.
  bool iterates_at(int32_t lasti) const noexcept {
    return exit != kNoExit && range.start <= lasti && lasti < exit;
  }
  // The `for` is about to hand out the next item. An EXTENDED_ARG and a cache entry may lie around its instruction; no
  // call of the body can be so near.
  bool is_fetching(int32_t lasti) const noexcept { return lasti <= range.start + 4; }
  // A range may end in a handler far behind the loop: what it is entered at must be inside.
  bool spans(int32_t low, int32_t high) const noexcept {
    return range.start <= low && high <= range.end && (exit == kNoExit || low < exit);
  }
};

struct KnownCode {
  const void* code;
  uint64_t fingerprint;
  CodeId id;
  bool is_users;        // its file is the user's own
  bool is_generator;    // hands out items to a loop of its caller's
  bool is_suspended;    // its frame may be left and gone on with: that, or a coroutine
  uint32_t first_loop;  // in the cache's pool of loops
  std::atomic<uint16_t> loops_plus_1;  // 0: not read yet. Release after the loops are in the pool
};

class CodeCache {
 public:
  bool start(const PythonReader* reader, StackTable* stacks) noexcept;
  void restart() noexcept;

  // Index of the entry, 0 when the cache is full; then describe() still gives the id. The code must be running.
  uint32_t find(const RawPythonFrame& frame) noexcept;
  CodeId id_of(uint32_t entry, const RawPythonFrame& frame) noexcept;
  // The id alone, of a code object that is alive.
  CodeId describe(const void* code) noexcept;

  bool has_loops(uint32_t entry, const void* code) noexcept {
    return entry && !loops_of(entries_[entry], code).empty();
  }

  bool is_users(uint32_t entry) const noexcept { return entry && entries_[entry].is_users; }
  bool is_generator(uint32_t entry) const noexcept { return entry && entries_[entry].is_generator; }
  bool is_suspended(uint32_t entry) const noexcept { return entry && entries_[entry].is_suspended; }

  // The loops of the code around both offsets, the innermost first; at most kDeepestNest. The code must be running.
  static constexpr int kDeepestNest = 8;
  int loops_around(uint32_t entry, const void* code, int32_t low, int32_t high,
                   KnownLoop* out) noexcept;

  // How many `for` loops that start before `start` have their iterator on the value stack at `lasti`.
  int iterators_below(uint32_t entry, int32_t start, int32_t lasti) const noexcept;

 private:
  bool is_in_user_file(const void* code) const noexcept;
  std::span<const KnownLoop> loops_of(KnownCode& known, const void* code) noexcept;

  static constexpr uint32_t kEntries = 32 << 10;
  static constexpr uint32_t kLoops = 64 << 10;
  static constexpr uint32_t kLoopsPerCode = 64;

  const PythonReader* reader_ = nullptr;
  StackTable* stacks_ = nullptr;
  InternTable table_{LockRank::codes};
  KnownCode* entries_ = nullptr;  // guarded by table_'s lock when added to
  uint32_t used_ = 1;
  KnownLoop* loops_ = nullptr;  // guarded by loops_lock_ when added to
  uint32_t loops_used_ = 0;
  std::atomic<uint8_t> loops_lock_{0};
};

}  // namespace tenure::inproc
