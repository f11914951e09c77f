#include "inproc/snapshot/torch_layout.h"

namespace tenure::inproc {

TorchPart part_of(const TorchLayout& layout, Object type, Traverse traverse) noexcept {
  if (!layout.is_known || !traverse) return TorchPart::none;
  if (derives_from(type, "torch._C.TensorBase") || derives_from(type, "torch._C._TensorBase"))
    return TorchPart::tensor;
  if (derives_from(type, "torch._C.StorageBase")) return TorchPart::storage;
  if (!layout.has_graphs()) return TorchPart::none;
  if (derives_from(type, "torch._C._FunctionBase")) return TorchPart::function;
  Traverse of_nodes = load<Traverse>(reinterpret_cast<Object>(layout.node_type), kTypeTraverse);
  return traverse == of_nodes ? TorchPart::node : TorchPart::none;
}

}  // namespace tenure::inproc
