#include "tenure/dlpack.h"

#include <span>
#include <stdexcept>
#include <string>

namespace tenure::dlpack::detail {
namespace {

// What an exported tensor points to. Lives until the consumer calls the deleter.
struct Export {
  std::shared_ptr<tenure::detail::Cell> leased;
  Extents shape, strides;
  ManagedTensor managed;
};

void end_export(ManagedTensor* managed) noexcept {
  std::unique_ptr<Export> exported(static_cast<Export*>(managed->context));
  tenure::detail::end_lease(exported->leased);
}

Extents extents(const std::int64_t* values, std::int32_t count) {
  return Extents(std::span<const std::int64_t>(values, static_cast<std::size_t>(count)));
}

std::size_t span_of(const Extents& shape, const Extents& strides) try {
  return static_cast<std::size_t>(shape.span(strides));
} catch (const std::out_of_range&) {
  throw Unsupported("a tensor with negative strides cannot be imported");
}

void require_supported(const Tensor& tensor, DType wanted) {
  if (tensor.device.type != kCpu) throw Unsupported("the tensor is not in main memory");
  DType found{static_cast<DType::Code>(tensor.type.code), tensor.type.bits};
  if (found != wanted || tensor.type.lanes != 1)
    throw Unsupported("the tensor holds " + to_text(found) + ", not " + to_text(wanted));
  bool is_too_deep = tensor.dimensions < 0 ||
                     static_cast<std::size_t>(tensor.dimensions) > Extents::kMostDimensions;
  if (is_too_deep) throw Unsupported("the tensor has more than 8 dimensions");
}

}  // namespace

// The lease is taken; it must not be lost to a lack of memory.
Owned make_managed(const std::shared_ptr<tenure::detail::Cell>& leased, Tensor tensor,
                   const Extents& shape, const Extents& strides) try {
  auto exported = std::make_unique<Export>(Export{leased, shape, strides, {}});
  tensor.dimensions = static_cast<std::int32_t>(shape.rank());
  tensor.shape = &exported->shape[0];
  tensor.strides = &exported->strides[0];
  exported->managed = {tensor, exported.get(), &end_export};
  return Owned(&exported.release()->managed);
} catch (...) {
  tenure::detail::end_lease(leased);
  throw;
}

Layout layout_of(const ManagedTensor& managed, DType wanted) {
  const Tensor& tensor = managed.tensor;
  require_supported(tensor, wanted);
  Layout layout;
  layout.first = static_cast<std::byte*>(tensor.data) + tensor.byte_offset;
  layout.shape = extents(tensor.shape, tensor.dimensions);
  layout.strides =
      tensor.strides ? extents(tensor.strides, tensor.dimensions) : layout.shape.dense_strides();
  layout.count = span_of(layout.shape, layout.strides);
  return layout;
}

void give_back(void* managed) noexcept { Delete()(static_cast<ManagedTensor*>(managed)); }

}  // namespace tenure::dlpack::detail
