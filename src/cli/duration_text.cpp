#include "cli/duration_text.h"

#include <fmt/core.h>

#include <charconv>
#include <cmath>
#include <map>

namespace tenure::cli {

Result<double> parse_duration(const std::string& text, const std::string& option) {
  static const std::map<std::string, double> kUnits = {
      {"", 1}, {"ms", 0.001}, {"s", 1}, {"m", 60}, {"min", 60}, {"h", 3600}, {"d", 86400}};
  if (text.empty()) return 0.0;
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, failure] = std::from_chars(text.data(), end, number);
  auto unit = kUnits.find(std::string(rest, end));
  if (failure == std::errc() && unit != kUnits.end() && number > 0 && std::isfinite(number))
    return number * unit->second;
  return Error{fmt::format("{} takes a time such as 60s, 5m or 2h, not `{}`", option, text), 2};
}

}  // namespace tenure::cli
