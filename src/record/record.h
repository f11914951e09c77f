// record/record.h: everything one run left behind, in memory: what the analysis asks.
// World: offline. Plain data; read.h fills it.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ledger/reader.h"
#include "ledger/snapshot_reader.h"
#include "record/run_outcome.h"
#include "record/sources.h"
#include "record/symbols.h"

namespace tenure::record {

struct Record {
  RunOutcome outcome;
  std::map<int, ledger::Reader> ledgers;                   // by position in outcome.processes
  std::map<int, std::vector<ledger::Snapshot>> snapshots;  // the same; oldest first
  std::shared_ptr<Symbols> symbols = std::make_shared<Symbols>();  // neither is ever null
  bool has_symbols = true;  // false: the record's own could not be read
  std::shared_ptr<Sources> sources = std::make_shared<Sources>();
  std::vector<std::string> unreadable;  // one sentence per file that could not be read
};

}  // namespace tenure::record
