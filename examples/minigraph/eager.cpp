#include "eager.h"

#include "tape.h"

namespace minigraph {

Tensor Eager::constant(const std::vector<float>& values, const Extents& shape, SourceLine where) {
  return Tensor(scope_, "constant", values, shape, where);
}

Tensor Eager::scalar(float value, SourceLine where) { return constant({value}, {}, where); }

Tensor Eager::run(Op op, const std::vector<Tensor>& inputs, SourceLine where) {
  Tensor result = compute(op, inputs, scope_, where);
  if (tape_) tape_->note(op, inputs, result);
  return result;
}

}  // namespace minigraph
