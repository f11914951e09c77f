// tenure/lease.h: the right to use a buffer for a while, whatever other threads do to its scope meanwhile.
// Move-only; may be handed to another thread. Memory under a lease is never given back.
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "tenure/cell.h"

namespace tenure {

template <class T>
class Buffer;
template <class T>
class TensorView;

template <class T>
class [[nodiscard]] Lease {
 public:
  Lease(Lease&& other) noexcept
      : cell_(std::move(other.cell_)), values_(std::exchange(other.values_, {})) {}
  Lease& operator=(Lease&& other) noexcept {
    Lease(std::move(other)).swap(*this);
    return *this;
  }
  ~Lease() { end(); }

  // No check: a lease is the proof. Empty after end() and after a move.
  [[nodiscard]] std::span<T> values() const noexcept { return values_; }
  [[nodiscard]] T* data() const noexcept { return values_.data(); }

  void end() noexcept {
    if (cell_) detail::end_lease(std::exchange(cell_, nullptr));
    values_ = {};
  }
  void swap(Lease& other) noexcept {
    std::swap(cell_, other.cell_);
    std::swap(values_, other.values_);
  }

 private:
  template <class>
  friend class Buffer;
  template <class>
  friend class TensorView;

  // The lease must have been taken.
  Lease(std::shared_ptr<detail::Cell> cell, std::span<T> values) noexcept
      : cell_(std::move(cell)), values_(values) {}

  std::shared_ptr<detail::Cell> cell_;
  std::span<T> values_;
};

}  // namespace tenure
