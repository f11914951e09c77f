// minigraph/ops.h: what can be computed. One list for eager calls, graphs and tapes; an op knows nothing of who calls
// it.
#pragma once
#include <string_view>
#include <vector>

#include "tensor.h"

namespace minigraph {

enum class Op {
  add,
  subtract,
  multiply,
  divide,
  matmul,
  transpose,
  absolute,
  root,
  sum,
  mean,
  maximum,
  greater
};

[[nodiscard]] std::string_view name_of(Op op);

// Throws std::invalid_argument when the shapes do not go together. Elementwise ops take equal shapes, or one scalar.
[[nodiscard]] Extents result_shape(Op op, const std::vector<Extents>& inputs);

// Makes the result in `scope`. Inputs are leased, so a scope that closes meanwhile takes no memory from under the op.
[[nodiscard]] Tensor compute(Op op, const std::vector<Tensor>& inputs, Scope& scope,
                             SourceLine where);

}  // namespace minigraph
