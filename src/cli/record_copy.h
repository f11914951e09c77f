// cli/record_copy.h: one record copied as it is at one moment, from storage where others may still write to it.
// World: offline. Never changes the source. What was copied before an interruption is not copied again.
#pragma once
#include <filesystem>
#include <string>

#include "base/result.h"
#include "record/run_outcome.h"

namespace tenure::cli {

enum class CopyResult { copied, updated, already_there, older_than_there };

struct RecordCopy {
  CopyResult result = CopyResult::copied;
  bool has_changed = false;  // while it was copied: its files may be of different moments
};

// Nothing: there is no run.json there that can be read; `why` says what is wrong.
Result<record::RunOutcome> outcome_in(const std::filesystem::path& record);

// Of two copies of one run, the one that knows more of it; no clock is asked.
bool is_further(const record::RunOutcome& one, const record::RunOutcome& other);

// Into `target`, whole or not at all: until it is whole it has another name, which begins with a dot.
Result<RecordCopy> copy_record(const std::filesystem::path& source,
                               const std::filesystem::path& target);

}  // namespace tenure::cli
