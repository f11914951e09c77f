#include "report/sparkline.h"

#include <algorithm>
#include <array>

namespace tenure::report {
namespace {

constexpr std::array<const char*, 8> kHeights = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

// The most of each column's time. A column without a moment goes on with what was before it.
std::vector<uint64_t> most_by_column(const Curve& curve, int width) {
  const double end = std::max(curve.back().first, 1e-9);
  std::vector<uint64_t> most(static_cast<size_t>(width), 0);
  std::vector<bool> is_known(static_cast<size_t>(width), false);
  for (const auto& [seconds, bytes] : curve) {
    const double share = std::clamp(seconds / end, 0.0, 1.0);
    const size_t column = std::min(static_cast<size_t>(share * width), most.size() - 1);
    most[column] = std::max(most[column], bytes);
    is_known[column] = true;
  }
  for (size_t at = 1; at < most.size(); ++at) {
    if (!is_known[at]) most[at] = most[at - 1];
  }
  return most;
}

}  // namespace

std::string sparkline(const Curve& curve, int width) {
  if (curve.empty() || width < 1) return "";
  const std::vector<uint64_t> most = most_by_column(curve, width);
  const uint64_t top = *std::max_element(most.begin(), most.end());
  if (top == 0) return "";
  std::string text;
  for (const uint64_t bytes : most) {
    const double share = static_cast<double>(bytes) / static_cast<double>(top);
    const auto height = static_cast<size_t>(share * (kHeights.size() - 1) + 0.5);
    text += kHeights[std::min(height, kHeights.size() - 1)];
  }
  return text;
}

}  // namespace tenure::report
