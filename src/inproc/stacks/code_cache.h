// inproc/stacks/code_cache.h: what is known of each Python code object met: its id in the ledger and its loops.
// World: inside. Any thread. Keyed by address AND fingerprint: code objects die and their addresses are reused.
#pragma once
#include "inproc/stacks/intern_table.h"
#include "inproc/stacks/python_frames.h"
#include "inproc/stacks/stack_table.h"

namespace tenure::inproc {

struct KnownCode {
  const void* code;
  uint64_t fingerprint;
  CodeId id;
  uint32_t first_loop;                 // in the cache's pool of loops
  std::atomic<uint16_t> loops_plus_1;  // 0: not read yet. Release after the loops are in the pool
};

class CodeCache {
 public:
  bool start(const PythonReader* reader, StackTable* stacks) noexcept;
  void restart() noexcept;

  // Index of the entry, 0 when the cache is full; then describe() still gives the id. The code must be running.
  uint32_t find(const RawPythonFrame& frame) noexcept;
  CodeId id_of(uint32_t entry, const RawPythonFrame& frame) noexcept;

  // The smallest loop of the code around both offsets; false if it has none. The code must be running.
  bool loop_around(uint32_t entry, const void* code, int32_t low, int32_t high,
                   LoopRange* out) noexcept;

 private:
  CodeId describe(const void* code) noexcept;
  uint32_t read_loops(KnownCode& known, const void* code) noexcept;

  static constexpr uint32_t kEntries = 32 << 10;
  static constexpr uint32_t kLoops = 64 << 10;
  static constexpr uint32_t kLoopsPerCode = 64;

  const PythonReader* reader_ = nullptr;
  StackTable* stacks_ = nullptr;
  InternTable table_;
  KnownCode* entries_ = nullptr;  // guarded by table_'s lock when added to
  uint32_t used_ = 1;
  LoopRange* loops_ = nullptr;  // guarded by loops_lock_ when added to
  uint32_t loops_used_ = 0;
  std::atomic<uint8_t> loops_lock_{0};
};

}  // namespace tenure::inproc
