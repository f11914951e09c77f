// record/run_json.h: a run's outcome as the text of run.json, and back.
// World: offline. Pure functions.
#pragma once
#include <optional>
#include <string>

#include "base/result.h"
#include "record/run_outcome.h"

namespace tenure::record {

// Ends with a newline. Never throws on text: invalid UTF-8 is replaced.
std::string run_json(const RunOutcome& outcome);

// Nothing: it is damaged. An error: it is of another version of the format. `name`: of the record, for the sentence.
Result<std::optional<RunOutcome>> parse_run_json(const std::string& text, const std::string& name);

}  // namespace tenure::record
