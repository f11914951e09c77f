// lib/mark.h: a moment, kept small until somebody asks for it as an Event.
// World: the C++ library. Plain values.
#pragma once
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tenure/event.h"

namespace tenure::lib {

struct Mark {
  SourceLine line;             // line() == 0: a destructor, only `code` is known
  const void* code = nullptr;  // return address into the code that ran the destructor
  std::thread::id thread;
  std::chrono::steady_clock::time_point at;
  std::shared_ptr<const std::vector<void*>> stack;  // null unless asked for
};

[[nodiscard]] Mark mark_line(SourceLine line, bool has_full_stack) noexcept;
[[nodiscard]] Mark mark_code(const void* code, bool has_full_stack) noexcept;

[[nodiscard]] Event to_event(const Mark& mark, std::string by);

}  // namespace tenure::lib
