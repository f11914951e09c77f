// report/formats/pprof.h: stacks as pprof reads them: a profile.proto, compressed by gzip.
// World: offline. Pure functions.
#pragma once
#include <string>
#include <vector>

#include "report/formats/profile_figure.h"

namespace tenure::report {

struct ProfileFacts {
  uint64_t started_ns = 0;  // since 1970
  double seconds = 0;
  Figure shown = Figure::at_peak;  // the figure that pprof shows unless asked for another
};

// Bytes and blocks of each figure; the process of a sample is its label `pid`.
std::string pprof(const std::vector<analyze::StackSample>& samples, const ProfileFacts& facts);

// The same before compression.
std::string pprof_message(const std::vector<analyze::StackSample>& samples,
                          const ProfileFacts& facts);

}  // namespace tenure::report
