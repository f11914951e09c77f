// base/version.h: which Tenure this is.
// World: offline.
#pragma once
#include <string>

namespace tenure {

// "0.1.0 (1a2b3c4d5e6f, g++ 12.2.0, glibc 2.36)": version, commit, and what it was built by and for. A "+" behind the commit:
// built from files that were changed since.
std::string version_words();

}  // namespace tenure
