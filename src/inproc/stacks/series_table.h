// inproc/stacks/series_table.h: how often each loop came round and each named step was taken, against ticks.
// World: inside. Any thread; each series has its own lock in the ledger.
#pragma once
#include "inproc/stacks/intern_table.h"
#include "ledger/writer.h"

namespace tenure::inproc {

enum class Move : uint8_t {
  backwards,    // the instruction went back: certainly a new round, or a step somebody counted
  same_again,   // the very same stack and size
  loose_again,  // the very same stack, another size
  counted,      // the loop's own iterator says how many rounds it was
};

class SeriesTable {
 public:
  bool start(ledger::Writer* ledger) noexcept;
  void restart() noexcept;

  // Counts so many more of the series with this identity (kind, prefix, owner, start, end).
  void count(const ledger::Series& key, Move move, uint64_t rounds = 1) noexcept;

 private:
  ledger::Series* find(const ledger::Series& key) noexcept;

  ledger::Writer* ledger_ = nullptr;
  InternTable table_;
};

// Adds a mark if the last one is a stride away, thinning the marks when they are full so that they always span the run.
void add_mark(ledger::Series& series, Tick tick, uint64_t count) noexcept;

}  // namespace tenure::inproc
