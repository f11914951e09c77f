// tenure/event.h: one moment in the life of a buffer or scope: where it happened, who did it, when, in which thread.
// Plain data, made when somebody asks for a history; nothing on a fast path touches it.
#pragma once
#include <chrono>
#include <cstdint>
#include <source_location>
#include <string>
#include <thread>
#include <vector>

namespace tenure {

// A line of the program, taken by the compiler: one pointer, no cost at run time.
using SourceLine = std::source_location;

struct Event {
  std::string file;  // empty where only the code's address is known: a destructor has no line
  std::uint32_t line = 0;
  std::string
      function;  // with the line; else the name of the code that ran, where the loader knows it
  const void* code =
      nullptr;     // in place of the line: the return address into the code that ran the destructor
  std::string by;  // who did it, in words: "closing request `r1`"
  std::thread::id thread;
  std::chrono::steady_clock::time_point at;
  std::vector<std::string> stack;  // innermost first; only in scopes that ask for full stacks

  [[nodiscard]] bool has_line() const noexcept { return line != 0; }
  [[nodiscard]] std::string where() const;  // "serve.cpp:14 in handle()"
};

}  // namespace tenure
