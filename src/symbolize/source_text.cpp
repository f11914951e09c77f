// symbolize/source_text.cpp: see the header.
#include "symbolize/source_text.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

namespace tenure::symbolize {
namespace {

bool is_name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Whether the text has the word; not as part of a longer one.
bool has_word(std::string_view text, std::string_view word) {
  for (size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    size_t end = at + word.size();
    bool is_part = (at > 0 && is_name_character(text[at - 1])) ||
                   (end < text.size() && is_name_character(text[end]));
    if (!is_part) return true;
  }
  return false;
}

// Without comment to the end of the line, without what is in quotes, without spaces at the end.
std::string only_code(std::string_view line) {
  std::string code;
  char quote = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    if (quote != 0) {
      if (line[i] == '\\')
        ++i;
      else if (line[i] == quote)
        quote = 0;
    } else if (line[i] == '"' || (line[i] == '\'' && (i == 0 || !is_name_character(line[i - 1])))) {
      quote = line[i];
    } else if (line.substr(i).starts_with("//")) {
      break;
    } else {
      code += line[i];
    }
  }
  while (!code.empty() && std::isspace(static_cast<unsigned char>(code.back())) != 0)
    code.pop_back();
  return code;
}

// Blocks closed and not yet opened when reading upwards; `opens` if the line opens the block that we are in.
struct Upwards {
  int closed = 0;
  bool opens(const std::string& code) {
    bool is_opening = false;
    for (auto at = code.rbegin(); at != code.rend(); ++at) {
      if (*at == '}') ++closed;
      if (*at == '{' && closed == 0) is_opening = true;
      if (*at == '{' && closed > 0) --closed;
    }
    return is_opening;
  }
};

// The statement goes on in the next line: an open parenthesis, the end of a head, or a bare `do`.
bool goes_on(const std::string& code) {
  const auto open = std::count(code.begin(), code.end(), '('),
             closed = std::count(code.begin(), code.end(), ')');
  return open > closed || code.ends_with(')') ||
         has_word(code.substr(code.size() - std::min<size_t>(code.size(), 2)), "do");
}

}  // namespace

SourceText::SourceText(const std::string& text) {
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines_.push_back(only_code(line));
}

std::optional<SourceText> SourceText::read_unchanged(const std::string& path,
                                                     const std::string& built_file) {
  std::error_code no_source, no_built_file;
  const auto written = std::filesystem::last_write_time(path, no_source);
  const auto built = std::filesystem::last_write_time(built_file, no_built_file);
  if (no_source || no_built_file || written > built) return std::nullopt;
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return file ? std::optional(SourceText(text.str())) : std::nullopt;
}

std::string SourceText::code_of(int line) const {
  const auto index = static_cast<size_t>(line) - 1;
  return line > 0 && index < lines_.size() ? lines_[index] : std::string();
}

bool SourceText::has_loop_keyword(int line) const {
  const std::string code = code_of(line);
  return has_word(code, "for") || has_word(code, "while") || has_word(code, "do");
}

int SourceText::enclosing_loop(int line, int first) const {
  Upwards upwards;
  for (int above = line - 1; above >= first; --above) {
    const std::string code = code_of(above);
    const bool is_inside_closed = upwards.closed > 0;
    const bool is_opening = upwards.opens(code);
    if (is_inside_closed || !has_loop_keyword(above)) continue;
    if (is_opening || goes_on(code)) return above;
  }
  return 0;
}

}  // namespace tenure::symbolize
