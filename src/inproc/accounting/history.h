// inproc/accounting/history.h: what adapters saw begin, end and go wrong, as records of the ledger.
// World: inside. Any thread, but slow: adapters call it at events, never per block.
#pragma once
#include "inproc/stacks/series_table.h"
#include "ledger/writer.h"

namespace tenure::inproc {

class History {
 public:
  void start(ledger::Writer* ledger, SeriesTable* series) noexcept;

  // Index of the new scope; 0 when there is no room.
  uint32_t add_scope(StringId kind, StringId name, StackId born) noexcept;
  // An index that is no scope's (of another process, of a full table) is ignored.
  void set_state(uint32_t scope, StringId state, StackId where) noexcept;
  void set_fill(uint32_t scope, uint64_t items, uint64_t bytes) noexcept;

  // The same kind of error with the same places only counts up.
  void add_lifetime_error(const ledger::LifetimeError& error) noexcept;

  // `key` tells causes apart; the words and the stack of its first time are kept.
  void count_cause(StringId key, const ledger::Cause& cause) noexcept;

 private:
  ledger::Scope* scope(uint32_t index) noexcept;
  Tick now() const noexcept { return ledger_->header().tick.load(std::memory_order_relaxed); }

  ledger::Writer* ledger_ = nullptr;
  SeriesTable* series_ = nullptr;
  std::atomic<uint8_t> lock_{0};  // guards the three tables
};

}  // namespace tenure::inproc
