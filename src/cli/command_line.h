// cli/command_line.h: the verbs and options of the command line as data, and what shells are told of them.
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
  std::string value;  // what it takes, as FILE; empty: nothing
  std::string group;  // the heading it stands below
  bool is_required = false;
};

struct Example {
  std::string command;
  std::string what;  // it does
};

struct VerbText {
  std::string name;
  std::string description;
  std::string group;
  std::vector<OptionText> options;
  std::vector<Example> examples;
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

}  // namespace tenure::cli
