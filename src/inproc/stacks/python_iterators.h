// inproc/stacks/python_iterators.h: which round a `for` loop is in, as far as its iterator counts them itself.
// World: inside the program. Raw loads from the value stack of a frame that runs. A few nanoseconds.
#pragma once
#include <cstdint>

#include "inproc/stacks/python_layout.h"

namespace tenure::inproc {

// Address of an exported symbol of the process, or nullptr.
using SymbolLookup = void* (*)(const char* name);

struct IteratorPosition {
  const void* iterator;
  int64_t position;       // grows by one with every item handed out
  bool counts_from_zero;  // then the position is the number of items so far
  bool is_counted;        // else the iterator does not tell: a generator, an object of the user's
};

class IteratorTypes {
 public:
  void start(SymbolLookup lookup, int version) noexcept;

  // `stack` is the bottom of a frame's value stack that holds at least `outer` + 1 iterators of `for` loops; finds the
  // one with `outer` others below it. False: something unknown lies below it. Values above the last iterator may be stale
  // and are not looked at.
  bool find(const void* stack, int outer, IteratorPosition* out) const noexcept;

 private:
  enum class Role : uint8_t { counts_up, counts_down, silent, no_iterator };
  struct Known {
    const void* type;
    int16_t offset;  // of the count
    Role role;
    bool counts_from_zero;
    IteratorPosition told_by(const char* iterator) const noexcept;
  };
  const Known* known(const void* type) const noexcept;

  static constexpr int kTypes = 17;
  Known known_[kTypes] = {};
};

// The bottom of the frame's value stack.
const void* value_stack(const PythonLayout& layout, const void* frame, const void* code) noexcept;

// What the frame's variables hold, as one number: another one when the frame has assigned to one of them. A module's are
// known by the number of their dict. 0: nothing can be told.
uint64_t variables_mark(const PythonLayout& layout, const void* frame, const void* code) noexcept;

// The same for a function alone. While it waits for a call nobody else can assign to its variables, as to a module's.
uint64_t function_mark(const PythonLayout& layout, const void* frame, const void* code) noexcept;

}  // namespace tenure::inproc
