// symbolize/source_frame.h: one function around an address of native code, as its source names it.
// World: offline. Values.
#pragma once
#include <string>

namespace tenure::symbolize {

struct SourceFrame {
  std::string function;  // short, see function_name.h; may be empty
  std::string file;      // absolute where the debug information allows; empty if unknown
  int line = 0;          // 0 if unknown
  bool inlined = false;  // into the frame that follows
};

}  // namespace tenure::symbolize
