#include "cli/size_text.h"

#include <fmt/core.h>

#include <cctype>
#include <charconv>
#include <cmath>
#include <map>
#include <string_view>

namespace tenure::cli {
namespace {

constexpr std::string_view kPerStep = "/step";

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

// 0: there is no such unit.
double bytes_of(const std::string& unit) {
  static const std::map<std::string, double> kUnits = {
      {"b", 1},         {"kb", 1e3},      {"mb", 1e6},
      {"gb", 1e9},      {"tb", 1e12},     {"kib", 1024},
      {"mib", 1 << 20}, {"gib", 1 << 30}, {"tib", 1099511627776.0}};
  auto found = kUnits.find(unit);
  return found == kUnits.end() ? 0 : found->second;
}

Error not_a_size(const std::string& text, const std::string& option) {
  return {fmt::format("`{}` of {} is not a size; write it like 10MB, 2GiB or 0B", text, option), 2};
}

}  // namespace

Result<uint64_t> parse_size(const std::string& text, const std::string& option) {
  const bool has_digit = !text.empty() && (std::isdigit(static_cast<unsigned char>(text[0])) != 0);
  if (!has_digit) return not_a_size(text, option);
  double number = 0;
  const char* end = text.data() + text.size();
  auto [rest, error] = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  while (rest != end && *rest == ' ') ++rest;
  const std::string unit = lower({rest, static_cast<size_t>(end - rest)});
  const double factor = unit.empty() && number == 0 ? 1 : bytes_of(unit);
  const double bytes = number * factor;
  constexpr double kMost = 9e18;
  if (error != std::errc() || factor == 0 || !(bytes < kMost)) return not_a_size(text, option);
  return static_cast<uint64_t>(std::round(bytes));
}

Result<uint64_t> parse_growth(const std::string& text, const std::string& option) {
  if (!text.ends_with(kPerStep)) return parse_size(text, option);
  Result<uint64_t> size = parse_size(text.substr(0, text.size() - kPerStep.size()), option);
  return size ? size : not_a_size(text, option);
}

}  // namespace tenure::cli
