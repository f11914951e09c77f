#include "cli/open_record.h"

#include "cli/running_record.h"
#include "record/read.h"

namespace tenure::cli {
Result<record::Record> open_record(const std::string& directory) {
  Result<record::Record> record = record::read_record(directory);
  if (!record) return record;
  if (record->ledgers.empty() && !record->unreadable.empty())
    return Error{record->unreadable.front(), 2};
  record::RunOutcome& outcome = record->outcome;
  if (!outcome.is_complete() && !is_still_there(outcome)) outcome.is_end_unseen = true;
  return record;
}

}  // namespace tenure::cli
