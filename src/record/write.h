// record/write.h: the files of a record that `tenure run` writes itself. The ledgers are written by
// cli/ledger_spooler, the snapshots by cli/snapshot_collector.
// World: offline. Each file is replaced as a whole.
#pragma once
#include <string>

#include "base/result.h"
#include "record/run_outcome.h"
#include "record/sources.h"
#include "record/symbols.h"

namespace tenure::record {

Result<bool> write_run(const std::string& directory, const RunOutcome& outcome);

// Once, when the run has ended: a record that has this file is never resolved again.
Result<bool> write_symbols(const std::string& directory, const SymbolAnswers& answers);
Result<bool> write_sources(const std::string& directory, const SourceAnswers& answers);

}  // namespace tenure::record
