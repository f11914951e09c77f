// record/sources_json.h: what a record keeps of the user's sources as the text of sources.json, and back.
// World: offline. Pure functions.
#pragma once
#include <optional>
#include <string>

#include "record/sources.h"

namespace tenure::record {

// Ends with a newline. Invalid UTF-8 is replaced.
std::string sources_json(const SourceAnswers& answers);

// Nothing: it is damaged.
std::optional<SourceAnswers> parse_sources_json(const std::string& text);

}  // namespace tenure::record
