// error: ignoring return
// A lease that nobody holds ends at once and protects nothing.
#include <tenure/buffer.h>

float use(tenure::Buffer<float>& buffer) {
#ifdef MISUSE
  buffer.lease();
  return buffer.values()[0];
#else
  tenure::Lease<float> lease = buffer.lease();
  return lease.values()[0];
#endif
}
