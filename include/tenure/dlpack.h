// tenure/dlpack.h: tensors in and out by DLPack, without a copy; NumPy, PyTorch, JAX and TensorFlow speak it.
//
// Out: the consumer holds a lease. A scope that closes first refuses or waits, as it was told to; one that is destroyed
// ends its buffers, and the memory stays until the consumer is done. In: the buffer belongs to a scope; its end gives
// the memory back to whoever made it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string_view>

#include "tenure/buffer.h"
#include "tenure/tensor_view.h"

namespace tenure::dlpack {

// The binary interface of DLPack 0.x, `DLManagedTensor`: what a capsule named "dltensor" points to.
inline constexpr std::int32_t kCpu = 1;

struct Device {
  std::int32_t type = kCpu;
  std::int32_t id = 0;
};
struct Type {
  std::uint8_t code = 0;
  std::uint8_t bits = 0;
  std::uint16_t lanes = 1;
};
struct Tensor {
  void* data = nullptr;
  Device device;
  std::int32_t dimensions = 0;
  Type type;
  std::int64_t* shape = nullptr;
  std::int64_t* strides = nullptr;  // in elements; null: dense
  std::uint64_t byte_offset = 0;
};
struct ManagedTensor {
  Tensor tensor;
  void* context = nullptr;
  void (*deleter)(ManagedTensor* self) = nullptr;
};

struct Delete {
  void operator()(ManagedTensor* managed) const noexcept {
    if (managed->deleter) managed->deleter(managed);
  }
};
// release() it into the hands of a consumer.
using Owned = std::unique_ptr<ManagedTensor, Delete>;

// A tensor that this library cannot take: not in main memory, of another type, or laid out backwards.
class Unsupported : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

// Throws InaccessibleTensor when the buffer is no longer live or its scope is closing.
template <class T>
[[nodiscard]] Owned to_dlpack(const TensorView<T>& view, SourceLine where = SourceLine::current());

template <class T>
struct Imported {
  Buffer<T> buffer;
  TensorView<T> view;
};

// Throws Unsupported, ClosedScope or OverBudget; then `managed` is still the caller's.
template <class T>
[[nodiscard]] Imported<T> from_dlpack(Scope& scope, Owned&& managed, std::string_view name,
                                      SourceLine where = SourceLine::current());

namespace detail {

struct Layout {
  void* first = nullptr;  // the first element
  Extents shape, strides;
  std::size_t count = 0;  // elements the buffer must span
};

[[nodiscard]] Owned make_managed(const std::shared_ptr<tenure::detail::Cell>& leased, Tensor tensor,
                                 const Extents& shape, const Extents& strides);
[[nodiscard]] Layout layout_of(const ManagedTensor& managed, DType wanted);
void give_back(void* managed) noexcept;

}  // namespace detail

template <class T>
Owned to_dlpack(const TensorView<T>& view, SourceLine where) {
  constexpr DType dtype = TensorView<T>::dtype();
  Tensor tensor;
  tensor.data =
      const_cast<std::remove_const_t<T>*>(view.data(where));  // DLPack 0.x has no read-only tensors
  tensor.type = {static_cast<std::uint8_t>(dtype.code), dtype.bits, 1};
  return detail::make_managed(view.leased_cell(where), tensor, view.shape(), view.strides());
}

template <class T>
Imported<T> from_dlpack(Scope& scope, Owned&& managed, std::string_view name, SourceLine where) {
  detail::Layout layout = detail::layout_of(*managed, kDTypeOf<T>);
  Buffer<T> buffer(scope, name, layout.count, {layout.first, &detail::give_back, managed.get()},
                   where);
  [[maybe_unused]] ManagedTensor* buffers_own = managed.release();
  TensorView<T> view(buffer, layout.shape, layout.strides, where);
  return {std::move(buffer), view};
}

}  // namespace tenure::dlpack
