// bytecode/code.h: one Python code object as a snapshot kept it: raw instructions, and the names, variables and constants
// they count in.
// World: offline. Plain data; texts and bytes belong to the snapshot, which lives longer.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tenure::bytecode {

struct Variable {
  std::string_view name;
  bool is_local = false;
  bool is_cell = false;  // an inner function uses it too
  bool is_free = false;  // of a function around
};

struct Constant {
  enum class Kind { other, none, number, text, texts, code };
  Kind kind = Kind::other;
  std::string_view text;                // of a text; the bare name of a code
  std::vector<std::string_view> texts;  // of a tuple of texts
};

struct Code {
  int version = 0;  // 0x30b for 3.11
  std::string_view file;
  std::string name;  // qualified: `Loader.batch`, `install.<locals>.hook`; "<module>"
  int first_line = 0;
  uint32_t flags = 0;      // co_flags
  uint32_t arguments = 0;  // that can be given by place: the first variables
  uint32_t keyword_only_arguments = 0;
  std::span<const uint8_t> instructions;
  std::span<const uint8_t> lines;
  std::vector<std::string_view> names;
  std::vector<Variable> variables;  // in the order of the frame's slots
  std::vector<Constant> constants;

  bool is_function() const { return flags & 1; }  // CO_OPTIMIZED: no module, no body of a class
};

}  // namespace tenure::bytecode
