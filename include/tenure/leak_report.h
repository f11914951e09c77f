// tenure/leak_report.h: what was still live when a scope closed, or when the program ended.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "tenure/errors.h"

namespace tenure {

struct LeakReport {
  std::string scope;             // path of the scope; "the process" for the report at exit
  bool was_open = true;          // false: it had been closed before, so there was nothing to do
  std::size_t bytes = 0;         // of all survivors
  std::vector<Owner> survivors;  // buffers no owner had ended, biggest first

  [[nodiscard]] bool is_clean() const noexcept { return survivors.empty(); }
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::string json() const;
};

// What is live now in every scope that is still open.
[[nodiscard]] LeakReport live_now();

// From now on the library writes what it sees into a file of JSON lines: each lifetime error, each scope that closed
// over live buffers, and at exit what is still live. TENURE_RECORD=FILE in the environment does the same.
// False: the file cannot be written.
bool record_to(const std::string& file);

}  // namespace tenure
