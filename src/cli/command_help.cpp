#include "cli/command_help.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <sstream>

namespace tenure::cli {
namespace {

constexpr size_t kWidth = 100;      // of a terminal line, in characters
constexpr size_t kTextColumn = 28;  // where descriptions begin

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

// troff reads dashes as hyphens, and a dot or quote at the begin of a line as a request.
std::string roff(const std::string& text) {
  return replaced(replaced(text, "\\", "\\e"), "-", "\\-");
}

// "-o FILE", "--quiet", or the name of its place.
std::string heading_of(const OptionText& option) {
  std::string heading;
  for (const std::string& name : option.names) heading += (heading.empty() ? "" : ", ") + name;
  if (option.names.empty()) heading = option.place;
  if (!option.names.empty() && !option.value.empty()) heading += " " + option.value;
  return heading;
}

// What comes behind the verb.
std::string usage_of(const VerbText& verb) {
  std::string usage = "tenure " + verb.name + " [options]";
  for (const OptionText& option : verb.options) {
    if (option.names.empty())
      usage += option.is_required ? " " + option.place : " [" + option.place + "]";
  }
  return usage + (verb.takes_program ? " [--] PROGRAM [arguments]" : "");
}

// Heading and text in two columns; a heading that is too long has a line of its own.
std::string row(const std::string& heading, const std::string& text) {
  std::string out, line = "  " + heading;
  if (line.size() + 2 > kTextColumn) {
    out = line + "\n";
    line.clear();
  }
  line.resize(kTextColumn, ' ');
  bool is_empty = true;
  std::istringstream words(text);
  for (std::string word; words >> word; is_empty = false) {
    if (!is_empty && line.size() + 1 + word.size() > kWidth) {
      out += line + "\n";
      line.assign(kTextColumn, ' ');
      is_empty = true;
    }
    line += (is_empty ? "" : " ") + word;
  }
  return out + line + "\n";
}

// The members below their headings, both in the order in which they come first.
template <class Member>
std::string grouped(const std::vector<Member>& members,
                    const std::function<std::string(const std::string&)>& heading,
                    const std::function<std::string(const Member&)>& told) {
  std::vector<std::string> groups;
  for (const Member& member : members) {
    if (std::find(groups.begin(), groups.end(), member.group) == groups.end())
      groups.push_back(member.group);
  }
  std::string text;
  for (const std::string& group : groups) {
    text += heading(group);
    for (const Member& member : members) {
      if (member.group == group) text += told(member);
    }
  }
  return text;
}

std::string plain_heading(const std::string& group) { return "\n" + group + ":\n"; }
std::string option_row(const OptionText& option) {
  return row(heading_of(option), option.description);
}
std::string verb_row(const VerbText& verb) { return row(verb.name, verb.description); }

std::string example_rows(const std::vector<Example>& examples) {
  if (examples.empty()) return "";
  std::string text = "\nExamples:\n";
  for (const Example& example : examples)
    text += fmt::format("  {}\n      {}\n", example.command, example.what);
  return text;
}

// The first example of each verb that has one.
std::vector<Example> first_examples(const CommandLine& line) {
  std::vector<Example> examples;
  for (const VerbText& verb : line.verbs) {
    if (!verb.examples.empty()) examples.push_back(verb.examples.front());
  }
  return examples;
}

std::string manual_option(const OptionText& option) {
  return fmt::format(".TP\n.B {}\n{}\n", roff(heading_of(option)), roff(option.description));
}

std::string manual_examples(const std::vector<Example>& examples) {
  std::string text;
  for (const Example& example : examples)
    text += fmt::format(".TP\n.B {}\n{}\n", roff(example.command), roff(example.what));
  return text;
}

std::string manual_verb(const VerbText& verb) {
  std::string text = fmt::format(".SS {}\n{}\n", roff(usage_of(verb)), roff(verb.description));
  for (const OptionText& option : verb.options) text += manual_option(option);
  return text;
}

// In a cell of a table, where a bar would end it.
std::string cell(const std::string& text) { return replaced(text, "|", "\\|"); }

std::string markdown_verb(const VerbText& verb) {
  std::string text = fmt::format("\n## tenure {}\n\n{}\n\n```\n{}\n```\n", verb.name,
                                 verb.description, usage_of(verb));
  text += grouped<OptionText>(
      verb.options,
      [](const std::string& group) { return fmt::format("\n| {} | |\n|---|---|\n", group); },
      [](const OptionText& option) {
        return fmt::format("| `{}` | {} |\n", cell(heading_of(option)), cell(option.description));
      });
  if (!verb.examples.empty()) text += "\n| Example | |\n|---|---|\n";
  for (const Example& example : verb.examples)
    text += fmt::format("| `{}` | {} |\n", cell(example.command), cell(example.what));
  return text;
}

}  // namespace

std::string help(const CommandLine& line) {
  std::string text = fmt::format(
      "{}\n\nUsage: tenure VERB [options]\n       tenure run [options] [--] PROGRAM [arguments]\n",
      line.description);
  text += grouped<VerbText>(line.verbs, plain_heading, verb_row);
  text += grouped<OptionText>(line.options, plain_heading, option_row);
  return text + example_rows(first_examples(line)) +
         "\ntenure VERB --help: the options of a verb\n";
}

std::string help(const VerbText& verb) {
  return fmt::format("tenure {}: {}\n\nUsage: {}\n", verb.name, verb.description, usage_of(verb)) +
         grouped<OptionText>(verb.options, plain_heading, option_row) + example_rows(verb.examples);
}

std::string manual_page(const CommandLine& line) {
  std::string text = fmt::format(
      ".TH TENURE 1 \"\" \"tenure {}\"\n.SH NAME\ntenure \\- which line makes the memory that "
      "grows, and who holds it\n"
      ".SH SYNOPSIS\n.B tenure\n\\fIVERB\\fR [options] ...\n.SH DESCRIPTION\n{}\n.SH VERBS\n",
      roff(line.version), roff(line.description));
  for (const VerbText& verb : line.verbs) text += manual_verb(verb);
  text += ".SH OPTIONS\n";
  for (const OptionText& option : line.options) text += manual_option(option);
  text += ".SH EXAMPLES\n";
  for (const VerbText& verb : line.verbs) text += manual_examples(verb.examples);
  return text;
}

std::string markdown_page(const CommandLine& line) {
  std::string text = fmt::format(
      "# The command line\n\n<!-- Made by tools/gen_docs.py from `tenure --print-for markdown`. "
      "-->\n\n```\n{}```\n",
      help(line));
  for (const VerbText& verb : line.verbs) text += markdown_verb(verb);
  return text;
}

std::string told_as(const std::string& form, const CommandLine& line) {
  if (form == "bash") return bash_completion(line);
  if (form == "zsh") return zsh_completion(line);
  if (form == "fish") return fish_completion(line);
  if (form == "markdown") return markdown_page(line);
  return form == "man" ? manual_page(line) : "";
}

}  // namespace tenure::cli
