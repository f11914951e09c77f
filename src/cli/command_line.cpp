#include "cli/command_line.h"

#include <fmt/core.h>

namespace tenure::cli {
namespace {

// Every name of the options, with a blank before each.
std::string names_of(const std::vector<OptionText>& options) {
  std::string names;
  for (const OptionText& option : options) {
    for (const std::string& name : option.names) names += " " + name;
  }
  return names;
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

// Inside single quotes of a shell.
std::string quoted(const std::string& text) { return replaced(text, "'", "'\\''"); }

// zsh reads brackets and colons in the text of an option.
std::string zsh_text(const std::string& text) {
  return quoted(replaced(replaced(replaced(text, "[", "\\["), "]", "\\]"), ":", "\\:"));
}

std::string zsh_option(const OptionText& option) {
  std::string lines;
  for (const std::string& name : option.names)
    lines += fmt::format("        '{}[{}]{}' \\\n", name, zsh_text(option.description),
                         option.value.empty() ? "" : ":value:_files");
  return lines;
}

std::string fish_option(const OptionText& option, std::string_view condition) {
  std::string line = fmt::format("complete -c tenure -n '{}'", condition);
  for (const std::string& name : option.names)
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (!option.value.empty()) line += " -r";
  return fmt::format("{} -d '{}'\n", line, quoted(option.description));
}

}  // namespace

std::string bash_completion(const CommandLine& line) {
  std::string verbs, cases;
  for (const VerbText& verb : line.verbs) {
    verbs += " " + verb.name;
    cases += fmt::format("    {}) words='{}' ;;\n", verb.name, names_of(verb.options).substr(1));
  }
  return fmt::format(
      "# bash completion of tenure. Made from its command line.\n"
      "_tenure() {{\n"
      "  local word=${{COMP_WORDS[COMP_CWORD]}} words\n"
      "  case ${{COMP_WORDS[1]}} in\n{}"
      "    *) words='{}{}' ;;\n"
      "  esac\n"
      "  COMPREPLY=()\n"
      "  if [[ $COMP_CWORD -eq 1 || $word == -* ]]; then COMPREPLY=($(compgen -W \"$words\" -- "
      "\"$word\")); fi\n"
      "}}\n"
      "complete -o default -o bashdefault -F _tenure tenure\n",
      cases, verbs.substr(1), names_of(line.options));
}

std::string zsh_completion(const CommandLine& line) {
  std::string verbs, cases;
  for (const VerbText& verb : line.verbs) {
    verbs += fmt::format("    '{}:{}'\n", verb.name, zsh_text(verb.description));
    std::string options;
    for (const OptionText& option : verb.options) options += zsh_option(option);
    cases +=
        fmt::format("    {})\n      _arguments \\\n{}        '*::argument:_normal'\n      ;;\n",
                    verb.name, options);
  }
  return fmt::format(
      "#compdef tenure\n"
      "# zsh completion of tenure. Made from its command line.\n"
      "_tenure() {{\n"
      "  local -a verbs=(\n{}  )\n"
      "  if (( CURRENT == 2 )); then\n"
      "    _describe verb verbs\n"
      "    return\n"
      "  fi\n"
      "  shift words; (( CURRENT-- ))\n"
      "  case $words[1] in\n{}  esac\n"
      "}}\n"
      "_tenure \"$@\"\n",
      verbs, cases);
}

std::string fish_completion(const CommandLine& line) {
  std::string text = "# fish completion of tenure. Made from its command line.\n";
  for (const OptionText& option : line.options)
    text += fish_option(option, "__fish_use_subcommand");
  for (const VerbText& verb : line.verbs) {
    text += fmt::format("complete -c tenure -n __fish_use_subcommand -a {} -d '{}'\n", verb.name,
                        quoted(verb.description));
    for (const OptionText& option : verb.options) {
      if (!option.names.empty())
        text += fish_option(option, "__fish_seen_subcommand_from " + verb.name);
    }
  }
  return text;
}

}  // namespace tenure::cli
