// lib/owners.h: buffers grouped as people think of them: one name, one line, one scope.
// World: the C++ library. Used under a tree's mutex.
#pragma once
#include <cstddef>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "lib/mark.h"
#include "tenure/errors.h"

namespace tenure::lib {

class Owners {
 public:
  void add(const std::string& scope, const std::string& name, const Mark& born, std::size_t count,
           std::size_t bytes);

  // Biggest first, at most so many.
  [[nodiscard]] std::vector<Owner> biggest(std::size_t most) const;
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

 private:
  using Key = std::tuple<std::string, std::string, const char*, std::uint32_t>;
  struct Group {
    Mark born;
    std::size_t count = 0, bytes = 0;
  };
  std::map<Key, Group> groups_;
  std::size_t bytes_ = 0;
};

}  // namespace tenure::lib
