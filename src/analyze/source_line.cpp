#include "analyze/source_line.h"

#include <fmt/core.h>

#include <cctype>
#include <filesystem>
#include <fstream>

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

}  // namespace

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
  if (std::string("+-*/|&^%").find(line[at - 1]) != std::string::npos) return true;
  std::string name = trimmed(line.substr(0, at));
  if (!is_name(name)) return false;
  for (size_t found = line.find(name, at); found != std::string::npos;
       found = line.find(name, found + 1)) {
    bool starts = !is_name_character(line[found - 1]);
    size_t end = found + name.size();
    if (starts && (end >= line.size() || !is_name_character(line[end]))) return true;
  }
  return false;
}

std::string short_place(const std::string& file, int line) {
  return fmt::format("{}:{}", std::filesystem::path(file).filename().string(), line);
}

}  // namespace tenure::analyze
