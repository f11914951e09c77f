// analyze/balance/line_of_growth.cpp: the user's line that ran while memory grew that no hook saw.
#include <algorithm>

#include "analyze/balance/rules.h"
#include "analyze/balance/unseen_growth.h"

namespace tenure::analyze {
namespace {

using Lines = std::vector<const ReadableFrame*>;  // from the outermost in

bool has_births(const ledger::Site& site, const UnseenGrowth& growth) {
  return site.births >= kBirthsAllAlong &&
         std::any_of(std::begin(site.buckets), std::end(site.buckets), [&](const auto& bucket) {
           return bucket.born_bytes && bucket.first_tick <= growth.to &&
                  bucket.first_tick + bucket.span >= growth.from;
         });
}

Lines lines_of(Frames& frames, StackId stack) {
  Lines lines = user_frames(frames, stack);
  std::erase_if(lines, [](const ReadableFrame* frame) { return !frame->is_user; });
  std::reverse(lines.begin(), lines.end());
  return lines;
}

size_t common_length(const Lines& a, const Lines& b) {
  size_t n = 0;
  while (n < std::min(a.size(), b.size()) && is_same_line(a[n], b[n])) ++n;
  return n;
}

}  // namespace

std::optional<Place> line_of_growth(Frames& frames, const UnseenGrowth& growth) {
  Lines common;
  bool is_first = true, is_innermost = true;
  for (const ledger::Site& site : frames.ledger().sites()) {
    if (!has_births(site, growth) || frames.is_of_adapters(site) || frames.is_importing(site.stack))
      continue;
    Lines lines = lines_of(frames, site.stack);
    if (lines.empty()) continue;  // a library's thread
    size_t n = is_first ? lines.size() : common_length(common, lines);
    is_innermost = is_innermost && n == lines.size() && (is_first || n == common.size());
    lines.resize(n);
    common = std::move(lines);
    is_first = false;
  }
  // The outermost line of all calls the whole program.
  if (common.empty() || (common.size() == 1 && !is_innermost)) return std::nullopt;
  return place_of(*common.back(), PlaceRole::made_at);
}

}  // namespace tenure::analyze
