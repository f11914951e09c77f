// bytecode/facts.h: what a code object does with names: which it gives to what, what it stores into, calls, hands on, returns
// and reads. Found by running its instructions over a stack of expressions instead of values.
// World: offline. Pure. An instruction that is not known empties the stack; from the next statement on all is known again.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "bytecode/code.h"

namespace tenure::bytecode {

using ExpressionId = uint32_t;
inline constexpr ExpressionId kNothing = 0;  // expression 0: not known

struct Expression {
  enum class Kind : uint8_t {
    other,      // computed from `parts`, and none of them
    local,      // a variable of this function alone
    deref,      // a variable that functions inside each other share
    global,     // of the module, or the name of a body of a class
    attribute,  // `name` of parts[0]
    item,       // of parts[0] under parts[1]
    call,       // of parts[0] with the rest
    constant,
    empty,     // `[]`, `{}`, `set()` is a call
    display,   // `[a, b]`, `{k: v}`, `(a, b)`: holds its parts
    choice,    // one of its parts: `a or b`, `a if c else b`
    function,  // made here from constant code
    slice,     // `a:b`
    self,      // the place of a bound method's object on the stack, or of none
  };
  Kind kind = Kind::other;
  bool is_only_counted = false;  // len() was asked of it, and nothing else
  bool is_augmented = false;     // `a += b`
  bool is_target = false;        // assigned to, not read
  bool is_none = false;          // the constant None
  uint8_t depth = 0;             // of its parts; bounded
  int32_t line = 0;
  std::string_view name;  // of a variable or attribute; the text of a constant
  uint32_t constant = 0;  // of a constant or function: its number + 1 in Code::constants; 0: none
  uint32_t keywords = 0;  // of a call: how many of the last parts are given by name
  uint32_t keyword_names = 0;  // their names: number + 1 in Code::constants
  std::vector<ExpressionId> parts;
};

struct Fact {
  enum class Kind : uint8_t {
    binds,             // the name `target` := value
    stores_item,       // target[key] = value
    stores_attribute,  // target is the attribute
    calls,             // value is the call
    returns,           // also yields
  };
  Kind kind = Kind::binds;
  int32_t line = 0;
  int32_t offset = 0;  // of the instruction
  ExpressionId target = kNothing, key = kNothing, value = kNothing;
};

// An item goes into what a comprehension makes.
struct Append {
  int32_t offset = 0;  // of the instruction
  ExpressionId item = kNothing;
};

struct OffsetRange {
  int32_t first = 0, last = 0;  // of instructions; both inside
};

struct Facts {
  std::vector<Expression>
      expressions;          // in the order of the instructions; all but targets are read
  std::vector<Fact> facts;  // in the order of the instructions
  std::vector<OffsetRange> loops;
  std::vector<Append> appends;  // in the order of the instructions

  const Expression& operator[](ExpressionId id) const { return expressions[id]; }
  bool is_in_loop(int32_t offset) const;
};

Facts read_facts(const Code& code);

}  // namespace tenure::bytecode
