#include "tenure/dtype.h"

namespace tenure {

std::string to_text(DType dtype) {
  std::string bits = std::to_string(dtype.bits);
  switch (dtype.code) {
    case DType::Code::integer:
      return "int" + bits;
    case DType::Code::unsigned_integer:
      return "uint" + bits;
    case DType::Code::floating:
      return "float" + bits;
    case DType::Code::boolean:
      return "bool";
  }
  return "type " + std::to_string(static_cast<unsigned>(dtype.code)) + " of " + bits + " bits";
}

}  // namespace tenure
