// lib/memory.h: the memory of one buffer and the way it is given back.
// World: the C++ library. A value; whoever takes it out of its record gives it back, once.
#pragma once
#include <cstddef>
#include <memory_resource>

#include "tenure/cell.h"

namespace tenure::lib {

struct Memory {
  void* data = nullptr;
  std::size_t bytes = 0;  // what is charged to scopes
  std::size_t alignment = 0;
  std::pmr::memory_resource* source = nullptr;  // null: foreign
  ForeignMemory foreign;

  void give_back() const noexcept {
    if (source)
      source->deallocate(data, room(), alignment);
    else if (foreign.give_back)
      foreign.give_back(foreign.context);
  }
  // A buffer of nothing has an address of its own too.
  [[nodiscard]] std::size_t room() const noexcept { return bytes ? bytes : 1; }
};

}  // namespace tenure::lib
