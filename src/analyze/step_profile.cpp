#include "analyze/step_profile.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tenure::analyze {
namespace {

constexpr size_t kLateParts = 8;
constexpr double kFewSurvivors =
    32;  // below that a quarter of the run is too little to measure the pace

double sum(const std::vector<double>& values, size_t from, size_t to) {
  return std::accumulate(values.begin() + static_cast<long>(from),
                         values.begin() + static_cast<long>(to), 0.0);
}

}  // namespace

StepProfile::StepProfile(const Unit& unit)
    : unit_(unit), steps_(std::max(1.0, static_cast<double>(unit.steps))) {
  auto bins = static_cast<size_t>(std::clamp(steps_, 2.0 * kLateParts, 1.0 * kMostBins));
  survivors_.assign(bins, 0);
  bytes_.assign(bins, 0);
}

size_t StepProfile::bin_of(double step) const {
  auto bins = static_cast<double>(survivors_.size());
  double at = std::floor((step - 1) / steps_ * bins);
  return static_cast<size_t>(std::clamp(at, 0.0, bins - 1));
}

void StepProfile::put(double from, double to, double survivors, double bytes) {
  size_t first = bin_of(from), last = std::max(first, bin_of(to));
  auto bins = static_cast<double>(last - first + 1);
  for (size_t i = first; i <= last; ++i) {
    survivors_[i] += survivors / bins;
    bytes_[i] += bytes / bins;
  }
}

// Of a slice only its first birth has a known step; the others lie anywhere in it.
void StepProfile::add(const History& history) {
  for (const Slice& slice : history.slices) {
    if (slice.survivors <= 0) continue;
    double from = unit_.step_at(slice.from);
    double to = slice.births <= 1 ? from : unit_.step_at(slice.to);
    if (first_ == 0 || from < first_) first_ = from;
    put(from, to, slice.survivors, slice.bytes);
  }
}

double StepProfile::late_steps() const {
  double per_bin = std::max(1.0, steps_ / static_cast<double>(survivors_.size()));
  double n = 0;
  for (size_t i = survivors_.size() / 2; i < survivors_.size(); ++i)
    n += std::min(survivors_[i], per_bin);
  return n;
}

int StepProfile::late_parts() const {
  size_t half = survivors_.size() / 2, late = survivors_.size() - half;
  int covered = 0;
  for (size_t part = 0; part < kLateParts; ++part) {
    size_t from = half + part * late / kLateParts, to = half + (part + 1) * late / kLateParts;
    covered += sum(survivors_, from, to) >= 0.5;
  }
  return covered;
}

double StepProfile::pace(bool is_sampled) const {
  size_t first = bin_of(first_), end = bytes_.size(), span = end - first;
  double survivors = sum(survivors_, first, end), total = sum(bytes_, first, end);
  if (total <= 0) return 0;
  size_t share = is_sampled || survivors < kFewSurvivors || span < kLateParts ? 2 : 4;
  size_t tail = std::max<size_t>(1, span / share);
  return sum(bytes_, end - tail, end) / total * static_cast<double>(span) /
         static_cast<double>(tail);
}

}  // namespace tenure::analyze
