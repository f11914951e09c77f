// minigraph/eager.h: ops that run when they are called. Results belong to one session and live as long as somebody
// holds them.
#pragma once
#include <functional>
#include <string_view>
#include <vector>

#include "ops.h"

namespace minigraph {

class Tape;

class Eager {
 public:
  explicit Eager(std::string_view name, SourceLine where = SourceLine::current())
      : scope_(tenure::ScopeKind::session, name, {}, where) {}

  [[nodiscard]] Tensor constant(const std::vector<float>& values, const Extents& shape,
                                SourceLine where = SourceLine::current());
  [[nodiscard]] Tensor scalar(float value, SourceLine where = SourceLine::current());
  [[nodiscard]] Tensor run(Op op, const std::vector<Tensor>& inputs,
                           SourceLine where = SourceLine::current());

  [[nodiscard]] Tensor add(const Tensor& a, const Tensor& b,
                           SourceLine where = SourceLine::current()) {
    return run(Op::add, {a, b}, where);
  }
  [[nodiscard]] Tensor multiply(const Tensor& a, const Tensor& b,
                                SourceLine where = SourceLine::current()) {
    return run(Op::multiply, {a, b}, where);
  }
  [[nodiscard]] Tensor matmul(const Tensor& a, const Tensor& b,
                              SourceLine where = SourceLine::current()) {
    return run(Op::matmul, {a, b}, where);
  }

  [[nodiscard]] Scope& scope() noexcept { return scope_; }
  tenure::LeakReport close(SourceLine where = SourceLine::current()) { return scope_.close(where); }

 private:
  friend class Tape;
  Scope scope_;
  Tape* tape_ = nullptr;  // the one that records now
};

}  // namespace minigraph
