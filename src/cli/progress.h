// cli/progress.h: says on a terminal what Tenure is busy with when it takes longer than a second, and takes it back.
// World: offline. A thread of its own writes to standard error; where that is no terminal there is none, and nothing is said.
#pragma once
#include <memory>
#include <string>

namespace tenure::cli {

class Progress {
 public:
  explicit Progress(std::string what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void next(std::string what);  // what comes now
  // Nothing of it is left on the terminal; before anything else is said.
  void end();

 private:
  struct Shared;
  std::unique_ptr<Shared> shared_;
};

}  // namespace tenure::cli
