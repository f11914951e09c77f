// cli/running_record.h: which record is meant, and whether its program still runs.
// World: offline.
#pragma once
#include <optional>
#include <string>

#include "base/result.h"
#include "record/run_outcome.h"

namespace tenure::cli {

// The record of a program whose supervisor was killed says for ever that it runs.
bool is_still_there(const record::RunOutcome& outcome);

// A number that is no folder's name: the id of a process.
std::optional<int> process_id_in(const std::string& asked);

// Of the records in `folder` and some levels below it the one whose program runs and was started last. Empty: there is none.
std::string newest_running_record(const std::string& folder);

// `asked` is a record, the id of a process below `tenure run`, or empty: the newest one below the current folder.
Result<std::string> record_meant(const std::string& asked);

}  // namespace tenure::cli
