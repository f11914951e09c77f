#include "lib/words.h"

#include <array>
#include <cstdio>

namespace tenure::lib {

std::string bytes_text(std::size_t bytes) {
  constexpr std::array<const char*, 4> units = {"KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024) return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < units.size(); ++unit) value /= 1024;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.*f %s", value < 100 ? 1 : 0, value, units.at(unit));
  return text.data();
}

std::string seconds_text(std::chrono::steady_clock::duration time) {
  double seconds = std::chrono::duration<double>(time).count();
  std::array<char, 32> text{};
  if (seconds < 0.001)
    std::snprintf(text.data(), text.size(), "%.0f us", seconds * 1e6);
  else
    std::snprintf(text.data(), text.size(), "%.3g s", seconds);
  return text.data();
}

std::string scope_title(ScopeKind kind, std::string_view name) {
  return std::string(to_text(kind)) + " `" + std::string(name) + "`";
}

}  // namespace tenure::lib
