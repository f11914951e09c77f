// report/json.h: findings as the contract `tenure-findings/2` (docs/findings.schema.json).
// World: offline. Pure function.
#pragma once
#include <string>

#include "analyze/findings/findings.h"

namespace tenure::report {

// Indented, no newline at the end. Never throws on text: invalid UTF-8 is replaced.
std::string findings_json(const analyze::Findings& findings);

}  // namespace tenure::report
