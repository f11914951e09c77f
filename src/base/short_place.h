// base/short_place.h: a line by the name of its file alone.
// World: offline. Pure.
#pragma once
#include <string>

namespace tenure {

// "train.py:12" of a path to train.py, and 12. Without a line, as of a library, its name.
inline std::string short_place(const std::string& file, int line) {
  std::string name = file.substr(file.rfind('/') + 1);
  return line > 0 ? name + ":" + std::to_string(line) : name;
}

}  // namespace tenure
