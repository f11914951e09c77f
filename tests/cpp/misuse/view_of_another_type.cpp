// error: no matching function
// Integers are not read as floats.
#include <tenure/tensor_view.h>

void use(tenure::Buffer<int>& buffer) {
#ifdef MISUSE
  tenure::TensorView<float> view(buffer, {4});
#else
  tenure::TensorView<int> view(buffer, {4});
#endif
}
