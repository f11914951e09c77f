// error: use of deleted function
// A view does not keep its buffer alive.
#include <tenure/tensor_view.h>

tenure::Buffer<float> make(tenure::Scope& scope) { return {scope, "b", 4}; }

void use(tenure::Scope& scope) {
#ifdef MISUSE
  tenure::TensorView<float> view(make(scope), {2, 2});
#else
  tenure::Buffer<float> buffer = make(scope);
  tenure::TensorView<float> view(buffer, {2, 2});
#endif
}
