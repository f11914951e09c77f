// inproc/stacks/stack_table.h: interned names, frames and stacks of this process, written to its ledger.
// World: inside. Any thread; each table has its own lock, lookups take none.
#pragma once
#include <cstdint>

#include "inproc/stacks/intern_table.h"
#include "ledger/writer.h"

namespace tenure::inproc {

class StackTable {
 public:
  // Maps the first hash slots. False: no memory; the accounting stays off.
  bool start(ledger::Writer* ledger) noexcept;
  // In a forked child: every id belonged to the parent's ledger.
  void restart() noexcept;

  StringId string(const char* text, uint32_t length) noexcept;
  CodeId code(ledger::Code key) noexcept;  // its origin is found out here
  ModuleId module(const ledger::Module& key) noexcept;
  FrameId frame(const ledger::Frame& key) noexcept;
  StackId stack(StackId outer, FrameId frame) noexcept;

 private:
  template <class Tag, class Record, class Equal>
  Id<Tag> intern(InternTable& table, ledger::TableId id, uint64_t hash, const Record& key,
                 Equal equal) noexcept;

  ledger::Writer* ledger_ = nullptr;
  InternTable strings_, codes_, modules_, frames_, stacks_;
};

}  // namespace tenure::inproc
