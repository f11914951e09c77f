// cli/duration_text.h: times as people type them: 60s, 5m, 2h, 500ms.
// World: offline. Pure.
#pragma once
#include <string>

#include "base/result.h"

namespace tenure::cli {

// In seconds; 0 for an empty text. `option` is named in the error. A number alone is seconds.
Result<double> parse_duration(const std::string& text, const std::string& option);

}  // namespace tenure::cli
