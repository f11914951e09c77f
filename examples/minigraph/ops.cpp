#include "ops.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace minigraph {
namespace {

using Values = std::span<const float>;
using Lease = tenure::Lease<const float>;

bool is_reduction(Op op) { return op == Op::sum || op == Op::mean || op == Op::maximum; }
bool is_unary(Op op) { return op == Op::absolute || op == Op::root; }

float apply(Op op, float a, float b) {
  switch (op) {
    case Op::add:
      return a + b;
    case Op::subtract:
      return a - b;
    case Op::multiply:
      return a * b;
    case Op::divide:
      return a / b;
    default:
      return a > b ? 1.0F : 0.0F;
  }
}

void elementwise(Op op, Values a, Values b, std::span<float> out) {
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = apply(op, a[a.size() == 1 ? 0 : i], b[b.size() == 1 ? 0 : i]);
}

void unary(Op op, Values a, std::span<float> out) {
  std::transform(a.begin(), a.end(), out.begin(),
                 [&](float x) { return op == Op::root ? std::sqrt(x) : std::abs(x); });
}

float reduced(Op op, Values a) {
  if (op == Op::maximum) return *std::max_element(a.begin(), a.end());
  float sum = std::accumulate(a.begin(), a.end(), 0.0F);
  return op == Op::mean ? sum / static_cast<float>(a.size()) : sum;
}

void matmul(Values a, Values b, std::int64_t inner, std::int64_t columns, std::span<float> out) {
  auto rows = static_cast<std::int64_t>(out.size()) / columns;
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t c = 0; c < columns; ++c) {
      float sum = 0;
      for (std::int64_t k = 0; k < inner; ++k) sum += a[r * inner + k] * b[k * columns + c];
      out[r * columns + c] = sum;
    }
  }
}

void transpose(const View& from, std::span<float> out) {
  std::int64_t rows = from.shape()[0], columns = from.shape()[1];
  for (std::int64_t i = 0; i < rows * columns; ++i) out[i] = from.at({i % rows, i / rows});
}

Extents matmul_shape(const Extents& a, const Extents& b) {
  if (a.rank() != 2 || b.rank() != 2 || a[1] != b[0])
    throw std::invalid_argument("matmul needs two matrices with one common length");
  return {a[0], b[1]};
}

void fill(Op op, const std::vector<Tensor>& inputs, const std::vector<Lease>& in,
          std::span<float> out) {
  if (op == Op::matmul)
    return matmul(in[0].values(), in[1].values(), inputs[0].shape()[1], inputs[1].shape()[1], out);
  if (op == Op::transpose) return transpose(inputs[0].view(), out);
  if (is_reduction(op)) {
    out[0] = reduced(op, in[0].values());
    return;
  }
  if (is_unary(op)) return unary(op, in[0].values(), out);
  elementwise(op, in[0].values(), in[1].values(), out);
}

}  // namespace

std::string_view name_of(Op op) {
  constexpr std::string_view names[] = {"add",    "subtract",  "multiply", "divide",
                                        "matmul", "transpose", "absolute", "root",
                                        "sum",    "mean",      "maximum",  "greater"};
  return names[static_cast<std::size_t>(op)];
}

Extents result_shape(Op op, const std::vector<Extents>& inputs) {
  if (op == Op::matmul) return matmul_shape(inputs.at(0), inputs.at(1));
  if (op == Op::transpose) return {inputs.at(0)[1], inputs.at(0)[0]};
  if (is_reduction(op)) return {};
  if (is_unary(op)) return inputs.at(0);
  const Extents &a = inputs.at(0), &b = inputs.at(1);
  if (a == b || b.product() == 1) return a;
  if (a.product() == 1) return b;
  throw std::invalid_argument(std::string(name_of(op)) + " needs equal shapes, or a scalar");
}

Tensor compute(Op op, const std::vector<Tensor>& inputs, Scope& scope, SourceLine where) {
  std::vector<Extents> shapes;
  std::vector<Lease> leases;
  for (const Tensor& input : inputs) {
    shapes.push_back(input.shape());
    leases.push_back(input.view(where).lease(where));
  }
  Tensor result(scope, name_of(op), result_shape(op, shapes), where);
  fill(op, inputs, leases, result.to_fill(where));
  return result;
}

}  // namespace minigraph
