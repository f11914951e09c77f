// bytecode/symbolic_stack.h: the interpreter's value stack with expressions in the place of values.
// World: offline. Pure. What is taken from an empty stack is not known, and what lies too deep is forgotten: code inside an
// exception handler may be read without knowing what the handler began with.
#pragma once
#include <algorithm>
#include <vector>

#include "bytecode/facts.h"

namespace tenure::bytecode {

class SymbolicStack {
 public:
  void push(ExpressionId e) {
    if (items_.size() == kDeepest) items_.erase(items_.begin());
    items_.push_back(e);
  }
  ExpressionId pop() {
    if (items_.empty()) return kNothing;
    ExpressionId top = items_.back();
    items_.pop_back();
    return top;
  }
  // The lowest first; those that are not there are left out.
  std::vector<ExpressionId> pop_many(uint32_t n) {
    size_t count = std::min<size_t>(n, items_.size());
    std::vector<ExpressionId> popped(items_.end() - static_cast<long>(count), items_.end());
    items_.resize(items_.size() - count);
    return popped;
  }
  // From 1: the top.
  ExpressionId peek(uint32_t n) const {
    return n >= 1 && n <= items_.size() ? items_[items_.size() - n] : kNothing;
  }
  void swap(uint32_t n) {
    fill(n);
    if (n >= 1 && n <= items_.size()) std::swap(items_.back(), items_[items_.size() - n]);
  }
  // The top goes below the n - 1 others.
  void rotate(uint32_t n) {
    fill(n);
    if (n >= 1 && n <= items_.size())
      std::rotate(items_.end() - static_cast<long>(n), items_.end() - 1, items_.end());
  }
  void clear() { items_.clear(); }
  size_t size() const { return items_.size(); }
  ExpressionId& operator[](size_t i) { return items_[i]; }
  ExpressionId operator[](size_t i) const { return items_[i]; }

 private:
  static constexpr size_t kDeepest = 256;

  void fill(uint32_t n) {
    if (n > items_.size() && n <= kDeepest)
      items_.insert(items_.begin(), n - items_.size(), kNothing);
  }

  std::vector<ExpressionId> items_;
};

}  // namespace tenure::bytecode
