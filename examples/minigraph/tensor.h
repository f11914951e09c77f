// minigraph/tensor.h: a value with a shape. Copies share the memory; the last one ends it, or its scope does before.
#pragma once
#include <tenure/tensor_view.h>

#include <algorithm>
#include <memory>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

namespace minigraph {

using tenure::Extents;
using tenure::Scope;
using tenure::SourceLine;
using View = tenure::TensorView<const float>;

class Tensor {
 public:
  // The values are not set yet.
  Tensor(Scope& scope, std::string_view name, const Extents& shape,
         SourceLine where = SourceLine::current())
      : buffer_(std::make_shared<tenure::Buffer<float>>(
            scope, name, static_cast<std::size_t>(shape.product()), where)),
        shape_(shape),
        home_(scope.node().get()) {}

  Tensor(Scope& scope, std::string_view name, std::span<const float> values, const Extents& shape,
         SourceLine where = SourceLine::current())
      : Tensor(scope, name, shape, where) {
    std::span<float> out = buffer_->values(where);
    if (values.size() != out.size()) throw std::invalid_argument("the shape needs other values");
    std::copy(values.begin(), values.end(), out.begin());
  }

  [[nodiscard]] const Extents& shape() const noexcept { return shape_; }
  [[nodiscard]] View view(SourceLine where = SourceLine::current()) const {
    return View(*buffer_, shape_, where);
  }
  [[nodiscard]] std::vector<float> values(SourceLine where = SourceLine::current()) const {
    std::span<const float> all = std::as_const(*buffer_).values(where);
    return {all.begin(), all.end()};
  }
  [[nodiscard]] std::span<float> to_fill(SourceLine where = SourceLine::current()) {
    return buffer_->values(where);
  }
  // Takes the memory out of its scope; other copies become detached.
  [[nodiscard]] Tensor moved_to(Scope& scope, SourceLine where = SourceLine::current()) const {
    return Tensor(std::make_shared<tenure::Buffer<float>>(buffer_->detach_to(scope, where)), shape_,
                  scope);
  }
  [[nodiscard]] bool is_of(const Scope& scope) const noexcept {
    return home_ == scope.node().get();
  }

  // The same tensor, not only the same values.
  friend bool operator==(const Tensor& a, const Tensor& b) noexcept {
    return a.buffer_ == b.buffer_;
  }

 private:
  Tensor(std::shared_ptr<tenure::Buffer<float>> buffer, const Extents& shape, const Scope& scope)
      : buffer_(std::move(buffer)), shape_(shape), home_(scope.node().get()) {}

  std::shared_ptr<tenure::Buffer<float>> buffer_;
  Extents shape_;
  const void* home_;  // tells scopes apart, never followed
};

}  // namespace minigraph
