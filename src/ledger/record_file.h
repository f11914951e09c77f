// ledger/record_file.h: how every file of a record is written: for its owner alone, through nobody's links, whole or not.
// World: offline.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace tenure::ledger {

// Written beside and renamed over the older one, so that a full disk never costs what was there. A link in the way is
// replaced, never followed.
Result<bool> write_record_file(const std::string& path, std::span<const std::string_view> pieces);

}  // namespace tenure::ledger
