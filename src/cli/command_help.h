// cli/command_help.h: the command line as people read it: `--help`, the manual page, and docs/command-line.md.
// World: offline. All of it is made from the same data as the completions (cli/command_line.h).
#pragma once
#include <string>

#include "cli/command_line.h"

namespace tenure::cli {

std::string help(const CommandLine& line);
std::string help(const VerbText& verb);
std::string manual_page(const CommandLine& line);
std::string markdown_page(const CommandLine& line);

// What `form` names: bash, zsh, fish, man or markdown. Empty: there is no such form.
std::string told_as(const std::string& form, const CommandLine& line);

}  // namespace tenure::cli
