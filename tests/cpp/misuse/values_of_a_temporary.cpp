// error: use of deleted function
// The buffer ends with the full expression; what it points to would be gone.
#include <tenure/buffer.h>

tenure::Buffer<float> make(tenure::Scope& scope) { return {scope, "b", 4}; }

float first(tenure::Scope& scope) {
#ifdef MISUSE
  return make(scope).values()[0];
#else
  tenure::Buffer<float> buffer = make(scope);
  return buffer.values()[0];
#endif
}
