// record/symbols_json.h: the answers of a run about native code as JSON, and back. docs/record-format.md has the grammar.
// World: offline. Pure functions.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "record/symbols.h"

namespace tenure::record {

std::string symbols_json(const SymbolAnswers& answers);

// Nothing: it is damaged.
std::optional<SymbolAnswers> parse_symbols_json(std::string_view text);

}  // namespace tenure::record
