// symbolize/loop_lines.h: which source line a loop of machine code was written on.
// World: offline. For loops_of(); lives for one function.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "symbolize/control_flow.h"
#include "symbolize/module.h"

namespace tenure::symbolize {

struct LoopPlace {
  std::string
      function;  // the one it is written in, which may have been inlined into the one that contains its code
  std::string file;
  int line = 0;  // 0: unknown, then the file is empty
  int first_line =
      0;  // the function's own line where known, else 0: the keyword cannot stand above it
};

class LoopLines {
 public:
  LoopLines(Module& module, uint64_t address_in_function, const std::vector<BasicBlock>& blocks);

  // The line by debug information: that of the test of a `for` or `while`, wherever the compiler has put it. A loop is written in
  // the innermost function that all its branches belong to and that is no library's: loops of inlined library code are named by
  // the line that calls the library.
  LoopPlace place_of(const BlockLoop& loop);

 private:
  using Chain = std::vector<SourceFrame>;  // outermost first
  // A function inlined into a function ...: the first `depth` calls of `chain` lead to it.
  struct Scope {
    Chain chain;
    size_t depth = 0;
  };

  const Chain& chain_at(uint64_t address);
  Scope scope_of(const BlockLoop& loop);
  int line_in(const Scope& scope, uint64_t address);
  bool is_library_code(const SourceFrame& frame) const;
  bool closes(const BlockLoop& loop, const BasicBlock& block) const;

  Module& module_;
  const std::vector<BasicBlock>& blocks_;
  DeclaredAt declared_;  // line 0 without debug information
  std::map<uint64_t, Chain> chains_;
};

}  // namespace tenure::symbolize
