// analyze/growth/rule.h: what a line that makes memory can come to.
// World: offline. Pure. The words are in base/vocabulary.json.
#pragma once
#include "base/vocabulary.h"

namespace tenure::analyze {

constexpr bool is_leak(GrowthClass what) {
  return what == GrowthClass::leak || what == GrowthClass::growing_block;
}

}  // namespace tenure::analyze
