// error: use of deleted function
// A buffer has one owner: it is moved, or seen through views.
#include <tenure/buffer.h>

void keep(tenure::Buffer<float> buffer);

void use(tenure::Buffer<float>& buffer) {
#ifdef MISUSE
  keep(buffer);
#else
  keep(std::move(buffer));
#endif
}
