// inproc/accounting/sampling.h: which sizes are counted one by one, and what a sampled block stands for.
// World: inside. Pure.
#pragma once
#include "base/poisson.h"
#include "inproc/accounting/site_table.h"

namespace tenure::inproc {

inline constexpr uint32_t kExactThreshold =
    1024;  // NumPy's data blocks reach malloc from this size on
inline constexpr uint32_t kSampleMean = 32 << 10;

// The same for the birth and the end of a block, since it depends on nothing else.
inline Weight weight_of(uint64_t bytes, ledger::BlockKind kind) noexcept {
  if (kind != ledger::BlockKind::small_heap) return {bytes, 1, 0};
  double p = sample_probability(bytes ? bytes : 1, kSampleMean);
  double w = static_cast<double>(bytes) / p;
  return {static_cast<uint64_t>(w + 0.5), static_cast<uint64_t>(1 / p + 0.5), w * w * (1 - p)};
}

}  // namespace tenure::inproc
