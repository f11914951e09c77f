// error: use of deleted function
// The scope would close before the buffer can be used.
#include <tenure/buffer.h>

void use() {
#ifdef MISUSE
  tenure::Buffer<float> buffer(tenure::Scope(tenure::ScopeKind::step, "s"), "b", 4);
#else
  tenure::Scope step(tenure::ScopeKind::step, "s");
  tenure::Buffer<float> buffer(step, "b", 4);
#endif
}
