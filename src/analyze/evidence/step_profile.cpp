#include "analyze/evidence/step_profile.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analyze/evidence/rules.h"

namespace tenure::analyze {
namespace {

double sum(const std::vector<double>& values, size_t from, size_t to) {
  return std::accumulate(values.begin() + static_cast<long>(from),
                         values.begin() + static_cast<long>(to), 0.0);
}

// When the births of a slice began to stay. Where all before are gone, one that keeps less of its births than the next
// began to keep them in its midst.
Tick began_to_stay(const std::vector<Slice>& slices, size_t at) {
  const Slice& slice = slices[at];
  bool is_first = at > 0 && at + 1 < slices.size() &&
                  std::all_of(slices.begin(), slices.begin() + static_cast<long>(at),
                              [](const Slice& before) { return before.survivors <= 0; });
  if (!is_first || slices[at + 1].births <= 0) return slice.from;
  double kept = slice.survivors / slice.births;
  double later = slices[at + 1].survivors / slices[at + 1].births;
  double share = later > 0 ? std::min(1.0, kept / later) : 1;
  return slice.from + static_cast<Tick>((1 - share) * static_cast<double>(slice.to - slice.from));
}

}  // namespace

// Of a slice only its first birth has a known step; the others lie anywhere in it.
StepProfile::StepProfile(const Unit& unit, const std::vector<const SiteHistory*>& histories) {
  std::vector<Piece> pieces;
  for (const SiteHistory* history : histories) {
    for (size_t i = 0; i < history->slices.size(); ++i) {
      const Slice& slice = history->slices[i];
      if (slice.survivors <= 0) continue;
      double from = unit.step_at(began_to_stay(history->slices, i));
      double to = slice.births <= 1 ? from : unit.step_at(slice.to);
      first_ = first_ == 0 ? from : std::min(first_, from);
      last_ = std::max(last_, to);
      pieces.push_back({from, to, slice.survivors, slice.bytes});
    }
  }
  steps_ = std::max(1.0, last_ - first_ + 1);
  auto bins = static_cast<size_t>(std::clamp(steps_, 2.0 * kLateParts, 1.0 * kMostBins));
  survivors_.assign(bins, 0);
  bytes_.assign(bins, 0);
  for (const Piece& piece : pieces) put(piece);
}

size_t StepProfile::bin_of(double step) const {
  auto bins = static_cast<double>(survivors_.size());
  double at = std::floor((step - first_) / steps_ * bins);
  return static_cast<size_t>(std::clamp(at, 0.0, bins - 1));
}

void StepProfile::put(const Piece& piece) {
  size_t first = bin_of(piece.from), last = std::max(first, bin_of(piece.to));
  auto bins = static_cast<double>(last - first + 1);
  for (size_t i = first; i <= last; ++i) {
    survivors_[i] += piece.survivors / bins;
    bytes_[i] += piece.bytes / bins;
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
    covered += sum(survivors_, from, to) >= kLeastOfPart;
  }
  return covered;
}

double StepProfile::pace(bool is_sampled) const {
  size_t bins = bytes_.size();
  double survivors = sum(survivors_, 0, bins), total = sum(bytes_, 0, bins);
  if (total <= 0) return 0;
  size_t share = is_sampled || survivors < kFewSurvivors || steps_ < kLateParts ? 2 : 4;
  size_t tail = std::max<size_t>(1, bins / share);
  return sum(bytes_, bins - tail, bins) / total * static_cast<double>(bins) /
         static_cast<double>(tail);
}

}  // namespace tenure::analyze
