// symbolize/statement_lines.h: where calls stand that the compiler has told at the end of their function.
// World: offline. Belongs to one unit of a DebugInfo; not thread-safe.
//
// GCC gives a constructor or call that it inlines into a full expression with temporaries to destroy the line of the
// closing brace. The code before it, of the same function, knows its line: rows of the line table are in order of code.
// Destructors are called at the closing brace indeed.
#pragma once
#include <elfutils/libdw.h>

#include <cstdint>
#include <string>
#include <vector>

namespace tenure::symbolize {

class StatementLines {
 public:
  // `lines`: the unit with the table; `functions`: the same, or its other half.
  StatementLines(Dwarf_Die& lines, Dwarf_Die& functions, const std::string& file);

  // The line of the last code before `address`, where `line` is the last one of its function and that code is of an
  // earlier line of it; else `line`.
  int line_of_call(int line, uint64_t address) const;

 private:
  struct Row {
    uint64_t address;
    int line;
  };
  void add_functions(Dwarf_Die& parent, const std::string& file);
  bool ends_function(int line) const;

  std::vector<Row> rows_;      // of the file, by address
  std::vector<int> lines_;     // of these rows, ascending
  std::vector<int> declared_;  // lines on which functions of the file begin, ascending
};

}  // namespace tenure::symbolize
