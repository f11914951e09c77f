#include "analyze/growth/copied_pages.h"

#include <algorithm>

#include "analyze/growth/rules.h"

namespace tenure::analyze {
namespace {

uint64_t grown(uint64_t from, uint64_t to) { return to > from ? to - from : 0; }

uint64_t shared_anonymous(const record::PageMoment& m) { return grown(m.own, m.anonymous); }

// What became its own must have been shared before, and have cost a fault for each page. New memory was never shared,
// pages that were given back are nobody's, and those that another process left cost no fault.
uint64_t copied_between(const record::PageMoment& from, const record::PageMoment& to) {
  return std::min({grown(from.own, to.own), grown(to.shared, from.shared),
                   grown(shared_anonymous(to), shared_anonymous(from)),
                   grown(from.faults, to.faults) * kPageBytes});
}

}  // namespace

// A snapshot's copy of the process shares all its pages anew while it lives, so what a process owns goes up and down.
CopiedPages copied_pages(const std::vector<record::PageMoment>& moments) {
  CopiedPages copied;
  std::vector<uint64_t> rises;
  for (size_t i = 1; i < moments.size(); ++i) {
    copied.bytes = std::max(copied.bytes, copied_between(moments[0], moments[i]));
    rises.push_back(copied_between(moments[i - 1], moments[i]));
  }
  auto all = static_cast<double>(copied.bytes);
  auto several = std::count_if(rises.begin(), rises.end(), [&](uint64_t rise) {
    return rise > 0 && static_cast<double>(rise) >= kLeastOfRise * all;
  });
  bool is_burst = std::any_of(rises.begin(), rises.end(), [&](uint64_t rise) {
    return static_cast<double>(rise) > kMostOfRise * all;
  });
  copied.is_gradual = static_cast<uint64_t>(several) >= kFewestRises && !is_burst;
  return copied;
}

}  // namespace tenure::analyze
