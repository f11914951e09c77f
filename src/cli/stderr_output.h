// cli/stderr_output.h: Tenure's words to the terminal.
// World: offline, beside or after the program.
#pragma once
#include <string>

namespace tenure::cli {

// All of it to stderr, even where the program left the descriptor non-blocking. Gives up where nobody can read.
void say(const std::string& text);

// `tenure: SENTENCE`
void say_line(const std::string& sentence);

}  // namespace tenure::cli
