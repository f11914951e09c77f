// cli/doctor.cpp: `tenure doctor`: what this machine, this Python and these frameworks allow, from a real probe run.
#include <fmt/core.h>

#include "cli/verbs.h"

namespace tenure::cli {

int doctor(const DoctorOptions& options) {
  fmt::print("tenure doctor {}\n", options.python);
  return 0;
}

}  // namespace tenure::cli
