// cli/command_line.h: the verbs and options of the command line as data, and what shells and `man` are told of them.
// World: offline. main.cpp fills it from what it parses by, so that neither can know an option that the other does not.
#pragma once
#include <string>
#include <vector>

namespace tenure::cli {

struct OptionText {
  std::vector<std::string>
      names;          // with their dashes, short ones first; none: it has a place, not a name
  std::string place;  // what stands there, for one without a name
  std::string description;
  bool takes_value = false;
};

struct VerbText {
  std::string name;
  std::string description;
  std::vector<OptionText> options;
  bool takes_program = false;  // a program with arguments of its own comes behind
};

struct CommandLine {
  std::string description;
  std::string version;
  std::vector<OptionText> options;
  std::vector<VerbText> verbs;
};

std::string bash_completion(const CommandLine& line);
std::string zsh_completion(const CommandLine& line);
std::string fish_completion(const CommandLine& line);
std::string manual_page(const CommandLine& line);

// The one of these that `form` names: bash, zsh, fish or man. Empty: there is no such form.
std::string told_as(const std::string& form, const CommandLine& line);

}  // namespace tenure::cli
