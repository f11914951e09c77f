#include "analyze/growth/judgement.h"

namespace tenure::analyze {

bool is_held(const Judgement& judgement) {
  return judgement.held && judgement.held->is_most &&
         judgement.growth.what != GrowthClass::growing_block;
}

}  // namespace tenure::analyze
