// analyze/compare/growth_figure.h: what of a finding grows, and by how much, for limits and comparisons.
// World: offline. Pure.
#pragma once
#include "analyze/findings/findings.h"

namespace tenure::analyze {

// Growth that limits are about: leaks, and what piled up until it was released.
bool is_growth(const Finding& finding);

// A lifetime error that decides the verdict.
bool is_lifetime_error(const Finding& finding);

// Bytes it grows by every step; all it holds where nothing counts its steps.
double growth_of(const Finding& finding);

}  // namespace tenure::analyze
