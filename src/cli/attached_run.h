// cli/attached_run.h: watches a program that ran before: from the moment Tenure is in it until it is out again, or the program
// has ended.
// World: beside the program, which is no child of ours: how it ended is not known. One thread.
#pragma once
#include <string>

#include "attach/target.h"
#include "base/result.h"
#include "record/record.h"

namespace tenure::cli {

struct AttachedRun {
  attach::Target target;
  std::string library;
  std::string directory;         // the record
  double seconds = 0;            // 0: until Ctrl-C
  record::RunSettings settings;  // kept in the record
  std::vector<std::string> arguments;
};

// What the program was started with, as the kernel tells it; at least one word.
std::vector<std::string> arguments_of(int pid);

// An Error means that it was never attached to. What went wrong later is a trouble in the record.
Result<record::Record> watch_attached(const AttachedRun& run);

}  // namespace tenure::cli
