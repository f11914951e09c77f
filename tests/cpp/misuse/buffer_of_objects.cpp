// error: a buffer holds plain values
// Closing a scope runs no destructors of elements. Objects go into a container with an allocator of the scope.
#include <tenure/buffer.h>
#include <tenure/resource.h>

#include <string>
#include <vector>

void use(tenure::Scope& scope) {
#ifdef MISUSE
  tenure::Buffer<std::string> names(scope, "names", 4);
#else
  std::vector<std::string, tenure::Allocator<std::string>> names(4, {scope, "names"});
#endif
}
