#include "report/bytes.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace tenure::report {
namespace {

constexpr std::array<const char*, 7> kUnits = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};

// One decimal below 100, none above, and no `.0`.
std::string three_digits(double value) {
  const std::string text = fmt::format("{:.1f}", value);
  if (text.ends_with(".0")) return text.substr(0, text.size() - 2);
  return text.size() > 4 ? fmt::format("{:.0f}", value) : text;
}

std::string positive_bytes(double bytes) {
  size_t unit = 0;
  // 1023.6 would print as 1024 of a unit, so it counts as one of the next.
  while (bytes >= 1023.5 && unit + 1 < kUnits.size()) {
    bytes /= 1024;
    ++unit;
  }
  return fmt::format("{} {}", unit == 0 ? fmt::format("{:.0f}", bytes) : three_digits(bytes),
                     kUnits[unit]);
}

}  // namespace

std::string human_bytes(uint64_t bytes) { return positive_bytes(static_cast<double>(bytes)); }

std::string human_bytes(double bytes) {
  if (!std::isfinite(bytes)) return "?";
  return (bytes <= -0.5 ? "-" : "") + positive_bytes(std::fabs(bytes));
}

std::string human_count(uint64_t count) {
  std::string digits = std::to_string(count);
  if (digits.size() < 5) return digits;
  for (size_t at = digits.size() - 3; at > 0; at = at > 3 ? at - 3 : 0) digits.insert(at, ",");
  return digits;
}

std::string counted(uint64_t count, const std::string& word) {
  return human_count(count) + " " + word + (count == 1 ? "" : "s");
}

std::string human_share(double share) {
  if (!std::isfinite(share)) return "?";
  const double percent = share * 100;
  if (percent > 0 && percent < 0.05) return "under 0.1 %";
  return (percent < 10 ? three_digits(percent) : fmt::format("{:.0f}", percent)) + " %";
}

std::string human_seconds(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0) return "?";
  if (seconds < 0.000'999'5) return fmt::format("{:.0f} us", seconds * 1e6);
  if (seconds < 0.099'5) return fmt::format("{:.0f} ms", seconds * 1e3);
  if (seconds < 9.995) return fmt::format("{:.2f} s", seconds);
  if (seconds < 59.95) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<uint64_t>(std::llround(std::fmin(seconds, 1e15)));
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

}  // namespace tenure::report
