// cli/configuration.h: what a project asks of Tenure: `tenure.toml`, or the table [tool.tenure] of `pyproject.toml`.
// World: offline. Reads the little of TOML that it needs; what other tools have in the same file is passed over.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/settings.h"

namespace tenure::cli {

struct Configuration {
  std::string file;                  // it was read from; empty: there is none
  std::vector<SettingValue> values;  // of what stands in it
};

// Of the nearest folder that has one, from `directory` up. An error is one sentence with file and line.
Result<Configuration> find_configuration(const std::string& directory);

// `table`: the one that is meant, "" for the file's own keys. Without a name of a file: it has no such table.
Result<Configuration> parse_configuration(const std::string& text, const std::string& table,
                                          const std::string& file);

// What was typed, with what the environment and the project's file ask for beside it.
Result<RunOptions> with_settings(const RunOptions& typed);

}  // namespace tenure::cli
