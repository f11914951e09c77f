// report/holders.h: who held most memory, for `tenure show --holders`.
// World: offline. Pure function.
#pragma once
#include <optional>
#include <string>

#include "analyze/heap/holders.h"

namespace tenure::report {

struct HoldersOptions {
  bool has_color = false;
  int width = 100;
};

// One line per holder below a head line, then what no holder was found for; ends with a newline. No snapshot: a sentence.
std::string holders_table(const std::optional<analyze::HolderSummary>& summary,
                          const HoldersOptions& options = {});

}  // namespace tenure::report
