// tests/unit/ledger/memory_ledger.h: a ledger in plain memory for tests: what the traced process writes, without the process.
#pragma once
#include <sys/mman.h>

#include <cstdint>

#include "ledger/writer.h"

namespace tenure::ledger {

// How many more times pages may be had; below zero: as often as asked.
inline int g_populates_left = -1;

inline bool populate_in_test(void*, size_t) noexcept {
  if (g_populates_left == 0) return false;
  if (g_populates_left > 0) --g_populates_left;
  return true;
}

class MemoryLedger {
 public:
  MemoryLedger() {
    g_populates_left = -1;
    memory_ = mmap(nullptr, reserved_bytes(), PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    writer_.format(memory_, &populate_in_test);
  }
  ~MemoryLedger() { munmap(memory_, reserved_bytes()); }
  MemoryLedger(const MemoryLedger&) = delete;
  MemoryLedger& operator=(const MemoryLedger&) = delete;

  Writer& writer() { return writer_; }
  void* memory() { return memory_; }

  // A new record, already published.
  template <class Record>
  Record& add(TableId id, uint32_t* index = nullptr) {
    uint32_t at = writer_.claim(id, 1);
    writer_.publish(id, at + 1);
    if (index) *index = at;
    return *writer_.record<Record>(id, at);
  }

 private:
  void* memory_;
  Writer writer_;
};

}  // namespace tenure::ledger
