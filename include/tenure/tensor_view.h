// tenure/tensor_view.h: shape and strides over a buffer that somebody else owns. Views are copied freely; none keeps
// its buffer alive.
// Every use is checked: when the buffer is no longer live, a view throws InaccessibleTensor with the buffer's history.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "tenure/buffer.h"
#include "tenure/dtype.h"
#include "tenure/extents.h"

namespace tenure {

// TensorView<float> may write, TensorView<const float> may not.
template <class T>
class TensorView {
  static_assert(Number<std::remove_const_t<T>>, "a tensor holds numbers");
  using Value = std::remove_const_t<T>;

 public:
  // The whole buffer, dense. Throws std::invalid_argument when the shape does not fill it.
  TensorView(Buffer<Value>& buffer, const Extents& shape, SourceLine where = SourceLine::current())
      : TensorView(buffer.cell_, buffer.data(where), shape, shape.dense_strides()) {
    if (static_cast<std::size_t>(shape.product()) != buffer.size())
      throw std::invalid_argument("the shape does not fill the buffer");
  }
  TensorView(const Buffer<Value>& buffer, const Extents& shape,
             SourceLine where = SourceLine::current())
    requires std::is_const_v<T>
      : TensorView(const_cast<Buffer<Value>&>(buffer), shape, where) {}

  // Strides in elements, none negative. Throws std::out_of_range when an element would lie beyond the buffer.
  TensorView(Buffer<Value>& buffer, const Extents& shape, const Extents& strides,
             SourceLine where = SourceLine::current())
      : cell_(buffer.cell_), data_(buffer.data(where)), shape_(shape), strides_(strides) {
    if (shape.span(strides) > static_cast<std::int64_t>(buffer.size()))
      throw std::out_of_range("an element of the view lies beyond its buffer");
  }

  TensorView(Buffer<Value>&&, const Extents&, SourceLine = {}) = delete;
  TensorView(Buffer<Value>&&, const Extents&, const Extents&, SourceLine = {}) = delete;

  // No move: a view that was moved from would have nothing to say when it is used.
  TensorView(const TensorView&) = default;
  TensorView& operator=(const TensorView&) = default;

  // A view that may write can be read through.
  template <class U>
    requires(std::is_const_v<T> && std::is_same_v<U, Value>)
  TensorView(const TensorView<U>& other) noexcept
      : cell_(other.cell_), data_(other.data_), shape_(other.shape_), strides_(other.strides_) {}

  [[nodiscard]] static constexpr DType dtype() noexcept { return kDTypeOf<T>; }
  [[nodiscard]] const Extents& shape() const noexcept { return shape_; }
  [[nodiscard]] const Extents& strides() const noexcept { return strides_; }
  [[nodiscard]] std::int64_t size() const { return shape_.product(); }
  [[nodiscard]] bool is_dense() const noexcept {
    Extents dense = shape_.dense_strides();
    for (std::size_t i = 0; i < shape_.rank(); ++i) {
      if (shape_[i] != 1 && strides_[i] != dense[i]) return false;
    }
    return true;
  }
  [[nodiscard]] bool is_accessible() const noexcept { return cell_->is_live(); }
  [[nodiscard]] History history() const {
    return detail::history_of(cell_, History::Subject::tensor);
  }

  // The first element; the others are found by the strides.
  [[nodiscard]] T* data(SourceLine where = SourceLine::current()) const {
    if (!cell_->is_live()) [[unlikely]]
      detail::throw_inaccessible(cell_, where);
    return data_;
  }
  // All elements in order. Throws std::logic_error when the view is not dense.
  [[nodiscard]] std::span<T> values(SourceLine where = SourceLine::current()) const {
    require_dense();
    return {data(where), static_cast<std::size_t>(size())};
  }
  // Throws std::out_of_range as well.
  [[nodiscard]] T& at(std::initializer_list<std::int64_t> index,
                      SourceLine where = SourceLine::current()) const {
    return data(where)[offset_of(index)];
  }

  // All elements, for as long as the lease lives. As values(), only of a dense view.
  Lease<T> lease(SourceLine where = SourceLine::current()) const {
    require_dense();
    return Lease<T>(leased_cell(where), {data_, static_cast<std::size_t>(size())});
  }
  // For those who end the lease themselves: detail::end_lease().
  [[nodiscard]] std::shared_ptr<detail::Cell> leased_cell(SourceLine where) const {
    if (!detail::try_lease(cell_, where)) detail::throw_inaccessible(cell_, where);
    return cell_;
  }

  // Other views of the same elements. None of these touches the buffer.
  [[nodiscard]] TensorView reshaped(const Extents& shape) const {
    require_dense();
    if (shape.product() != size()) throw std::invalid_argument("a reshape keeps all elements");
    return TensorView(cell_, data_, shape, shape.dense_strides());
  }
  [[nodiscard]] TensorView transposed(std::size_t one, std::size_t other) const {
    if (std::max(one, other) >= shape_.rank()) throw std::out_of_range("no such dimension");
    TensorView view = *this;
    std::swap(view.shape_[one], view.shape_[other]);
    std::swap(view.strides_[one], view.strides_[other]);
    return view;
  }
  // Elements `first` to `last`, exclusive, of one dimension.
  [[nodiscard]] TensorView sliced(std::size_t dimension, std::int64_t first,
                                  std::int64_t last) const {
    if (dimension >= shape_.rank() || first < 0 || first > last || last > shape_[dimension])
      throw std::out_of_range("no such slice");
    TensorView view = *this;
    if (first < last) view.data_ += first * strides_[dimension];
    view.shape_[dimension] = last - first;
    return view;
  }

 private:
  template <class>
  friend class TensorView;

  TensorView(std::shared_ptr<detail::Cell> cell, T* data, const Extents& shape,
             const Extents& strides) noexcept
      : cell_(std::move(cell)), data_(data), shape_(shape), strides_(strides) {}

  void require_dense() const {
    if (!is_dense()) throw std::logic_error("the elements of this view do not lie side by side");
  }
  [[nodiscard]] std::int64_t offset_of(std::initializer_list<std::int64_t> index) const {
    if (index.size() != shape_.rank()) throw std::out_of_range("one index per dimension");
    std::int64_t offset = 0;
    std::size_t dimension = 0;
    for (std::int64_t i : index) {
      if (i < 0 || i >= shape_[dimension]) throw std::out_of_range("an index is beyond the shape");
      offset += i * strides_[dimension++];
    }
    return offset;
  }

  std::shared_ptr<detail::Cell> cell_;
  T* data_;
  Extents shape_;
  Extents strides_;
};

template <class T, class... Rest>
TensorView(Buffer<T>&, Rest&&...) -> TensorView<T>;

}  // namespace tenure
