// cli/size_text.h: sizes as people type them: 10MB, 2GiB, 0B.
// World: offline. Pure.
#pragma once
#include <cstdint>
#include <string>

#include "base/result.h"

namespace tenure::cli {

// `option` is named in the error. kB, MB, GB, TB are powers of 1000, KiB, MiB, GiB, TiB of 1024; 0 needs no unit.
Result<uint64_t> parse_size(const std::string& text, const std::string& option);

// The same, of growth: `/step` may follow.
Result<uint64_t> parse_growth(const std::string& text, const std::string& option);

}  // namespace tenure::cli
