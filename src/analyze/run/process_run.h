// analyze/run/process_run.h: one process of a run as the stages see it: its ledger read as frames and units, and the record
// it is part of.
// World: offline. Borrows; whoever made the parts owns them.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "analyze/run/frames.h"
#include "analyze/run/units.h"
#include "bytecode/program.h"
#include "record/record.h"

namespace tenure::analyze {

struct ProcessRun {
  const record::Record& record;
  int index;  // of the process in the record
  Frames& frames;
  const Units& units;
  const bytecode::Program& program;  // the user's own Python code, as far as snapshots have it

  const record::ProcessOutcome& outcome() const {
    return record.outcome.processes[static_cast<size_t>(index)];
  }
};

// Position in the record of the process the figures are about: the last ledger of the program's own pid, since an exec
// starts a new one. Nothing without a ledger.
std::optional<int> main_process(const record::Record& record);

// Oldest first; none if no snapshot was taken.
const std::vector<ledger::Snapshot>& snapshots_of(const record::Record& record, int index);

// What a process was started with, as its ledger tells.
std::vector<std::string> arguments_of(const ledger::Reader& ledger);

// The script that Python was given: what people call the module `__main__`. Empty: none.
std::string main_file_of(const std::vector<std::string>& arguments);

// Of one process of the record, a text: "the notebook" where cells ran; a child that was started with a script of its own has its own. Workers of multiprocessing
// are given the script of the program.
std::string main_file_of(const record::Record& record, int index);

}  // namespace tenure::analyze
