// cli/record_folder.h: the directory a run is recorded in: found, made, and free of what an older run left there.
// World: offline, before the program.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"

namespace tenure::cli {

struct RecordFolder {
  std::string path;
  std::string notice;  // to be told after the program; empty if all is as asked
  bool is_new = true;  // made by us: may be removed if the program cannot be started
  int lock = -1;       // held for as long as the record is being written
};

// `wanted` as given with -o; empty: one named after the program, or one in the temporary folder where that is refused. Then
// the record before becomes `PROGRAM.tenure.old`, in place of the one before that; a record that is being written is left
// alone, and this one gets a number. An older record in `wanted` is replaced; other files there are left alone.
Result<RecordFolder> make_record_folder(const std::string& wanted,
                                        const std::vector<std::string>& program);

// With the record in it; only if it is ours, and other files in it stay.
void remove_record_folder(const RecordFolder& folder);

}  // namespace tenure::cli
