// error: assignment of read-only location
// A view of const values only reads.
#include <tenure/tensor_view.h>

void use(tenure::TensorView<float> writer) {
#ifdef MISUSE
  tenure::TensorView<const float> reader = writer;
  reader.at({0}) = 1;
#else
  writer.at({0}) = 1;
#endif
}
