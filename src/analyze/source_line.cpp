#include "analyze/source_line.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "analyze/python_source.h"

namespace tenure::analyze {
namespace {

std::string trimmed(const std::string& text) {
  size_t first = text.find_first_not_of(" \t\r"), last = text.find_last_not_of(" \t\r");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

bool is_name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.';
}

bool is_name(const std::string& text) {
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text[0]))) return false;
  for (char c : text) {
    if (!is_name_character(c)) return false;
  }
  return true;
}

// Position of the assigning `=`, not of a comparison; npos if there is none outside of brackets.
size_t assignment(const std::string& line) {
  int depth = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    char c = line[i];
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (c != '=' || depth != 0) continue;
    bool compares = (i + 1 < line.size() && line[i + 1] == '=') ||
                    (i > 0 && (line[i - 1] == '!' || line[i - 1] == '<' || line[i - 1] == '>' ||
                               line[i - 1] == '='));
    if (!compares) return i;
  }
  return std::string::npos;
}

// "x += ...", by where its `=` stands.
bool is_augmented(const std::string& line, size_t at) {
  return std::string("+-*/|&^%").find(line[at - 1]) != std::string::npos;
}

// As a whole: `x.y` does not mention `x`, unlike the words of base/whole_words.h.
bool mentions(const std::string& text, const std::string& name) {
  for (size_t found = text.find(name); found != std::string::npos;
       found = text.find(name, found + 1)) {
    size_t end = found + name.size();
    bool starts = found == 0 || !is_name_character(text[found - 1]);
    if (starts && (end >= text.size() || !is_name_character(text[end]))) return true;
  }
  return false;
}

// "x = f(y)", "x, y = g()", "for x in ...", "with f() as x:"; not "x = f(x)" or "x += 1".
bool gives_anew(const std::string& line, const std::string& name) {
  if (line.rfind("for ", 0) == 0) return mentions(line.substr(0, line.find(" in ")), name);
  if (line.rfind("with ", 0) == 0)
    return mentions(line.substr(std::min(line.find(" as "), line.size())), name);
  size_t at = assignment(line);
  if (at == std::string::npos || at == 0) return false;
  std::string targets = line.substr(0, at);
  bool is_item = targets.find('[') != std::string::npos || targets.find('.') != std::string::npos;
  return !is_augmented(line, at) && !is_item && mentions(targets, name) &&
         !mentions(line.substr(at), name);
}

}  // namespace

std::string assigned_variable(const std::string& line) {
  size_t at = assignment(line);
  if (at == std::string::npos || at == 0) return "";
  std::string name = trimmed(line.substr(0, is_augmented(line, at) ? at - 1 : at));
  return is_name(name) && name.find('.') == std::string::npos ? name : "";
}

std::optional<std::string> read_source(const std::string& file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  return in ? std::optional(text.str()) : std::nullopt;
}

std::string read_source_line(const std::string& file, int line) {
  std::ifstream in(file);
  std::string text;
  for (int n = 1; n <= line && std::getline(in, text); ++n) {
    if (n == line) return trimmed(text);
  }
  return "";
}

bool assigns_what_it_reads(const std::string& line) {
  size_t at = assignment(line);
  if (at == std::string::npos || at == 0) return false;
  if (is_augmented(line, at)) return true;
  std::string name = trimmed(line.substr(0, at));
  if (!is_name(name)) return false;
  return mentions(line.substr(at), name);
}

bool is_carried_round(const std::string& file, int line) {
  SourceText text{file, read_source(file).value_or("")};
  PythonSource source(text);
  auto at = static_cast<size_t>(line - 1);
  if (line < 1 || at >= source.lines().size() || !source.is_in_loop(at)) return false;
  std::string name = assigned_variable(source.lines()[at]), function = source.function_around(at);
  if (name.empty()) return false;
  for (size_t i = 0; i < source.lines().size(); ++i) {
    if (!gives_anew(trimmed(source.lines()[i]), name)) continue;
    if (source.is_in_loop(i) && source.function_around(i) == function) return false;
  }
  return true;
}

std::string short_place(const std::string& file, int line) {
  return fmt::format("{}:{}", std::filesystem::path(file).filename().string(), line);
}

}  // namespace tenure::analyze
