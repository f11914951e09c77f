// symbolize/native_loops.h: the loops of a native function, named by their source lines.
// World: offline. Not thread-safe (uses the Symbolizer given). x86-64 code only; other code has no loops here.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "symbolize/elf_file.h"
#include "symbolize/symbolizer.h"

namespace tenure::symbolize {

// Addresses are those of Address::offset.
struct NativeLoop {
  uint64_t
      start = 0,
      end =
          0;  // from its first instruction to past its last one; may enclose code moved out of the way
  std::vector<AddressRange> code;  // exactly its instructions, rising, neighbours joined
  int depth = 0;                   // 0: not inside another loop of the function
  std::string
      function;      // where it is written: possibly inlined into the function that holds the code
  std::string file;  // empty, and line 0, without debug information
  int line =
      0;  // of its `for`, `while` or `do`; see loop_lines.h and source_text.h for how sure that is

  // For a return address pass the byte before it.
  bool contains(uint64_t offset) const;
};

// The loops of the function around the address, outer ones before inner ones. Empty if it has none or its code is unknown.
// Cost: 1-10 ms for most functions, up to 0.1 s for 10 KiB full of inlined code: callers keep the answer.
std::vector<NativeLoop> loops_of(Symbolizer& symbolizer, const Address& any_pc_in_function);

}  // namespace tenure::symbolize
