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
};

// `wanted` as given with -o; empty: a new one named after the program, or one in the temporary folder where that is
// refused. An older record in `wanted` is replaced; other files there are left alone.
Result<RecordFolder> make_record_folder(const std::string& wanted,
                                        const std::vector<std::string>& program);

// Only if it is ours and empty.
void remove_record_folder(const RecordFolder& folder);

}  // namespace tenure::cli
