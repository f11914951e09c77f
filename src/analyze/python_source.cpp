#include "analyze/python_source.h"

#include <algorithm>
#include <cctype>

#include "base/whole_words.h"

namespace tenure::analyze {
namespace {

// The source as lines of code: no comments, strings emptied.
class CodeLines {
 public:
  explicit CodeLines(std::string_view text) {
    std::string line;
    for (size_t i = 0; i <= text.size(); ++i) {
      if (i == text.size() || text[i] == '\n') {
        lines_.push_back(line);
        line.clear();
        if (quote_.size() == 1) quote_ = {};  // an unfinished string: not Python
      } else {
        i += take(text, i, line) - 1;
      }
    }
  }
  std::vector<std::string> take_lines() { return std::move(lines_); }

 private:
  // Characters used up.
  size_t take(std::string_view text, size_t at, std::string& line) {
    std::string_view rest = text.substr(at);
    if (!quote_.empty()) {
      if (rest[0] == '\\' && rest.size() > 1 && rest[1] != '\n') return 2;
      if (!rest.starts_with(quote_)) return 1;
      size_t used = quote_.size();
      quote_ = {};
      line += '\'';
      return used;
    }
    if (rest[0] == '#') return std::min(rest.find('\n'), rest.size());
    if (rest[0] == '\'' || rest[0] == '"') {
      bool is_long = rest.size() >= 3 && rest[1] == rest[0] && rest[2] == rest[0];
      quote_ = rest.substr(0, is_long ? 3 : 1);
      line += '\'';
      return quote_.size();
    }
    line += rest[0];
    return 1;
  }

  std::string_view quote_;  // that ends the string we are in
  std::vector<std::string> lines_;
};

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> lines;
  for (size_t at = 0; at <= text.size();) {
    size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

size_t indent_of(std::string_view line) { return line.find_first_not_of(" \t"); }

}  // namespace

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())))
    text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())))
    text.remove_suffix(1);
  return text;
}

std::string_view name_after(std::string_view line, std::string_view keyword) {
  line = trimmed(line);
  if (line.starts_with("async ")) line = trimmed(line.substr(6));
  if (!line.starts_with(keyword)) return {};
  line = trimmed(line.substr(keyword.size()));
  size_t end = 0;
  while (end < line.size() && is_name_character(line[end])) ++end;
  return line.substr(0, end);
}

std::string bare_name(std::string_view name) {
  size_t dot = name.rfind('.');
  return std::string(dot == name.npos ? name : name.substr(dot + 1));
}

size_t behind_bracket(std::string_view text, size_t open) {
  int depth = 0;
  for (size_t at = open; at < text.size(); ++at) {
    if (text[at] == '(' || text[at] == '[' || text[at] == '{') ++depth;
    if (text[at] == ')' || text[at] == ']' || text[at] == '}') --depth;
    if (depth == 0) return at + 1;
  }
  return text.size();
}

PythonSource::PythonSource(const SourceText& source)
    : source_(&source),
      lines_(CodeLines(source.text).take_lines()),
      raw_lines_(split(source.text)) {}

std::vector<CodeBlock> PythonSource::blocks_of(std::string_view keyword,
                                               std::string_view name) const {
  std::vector<CodeBlock> found;
  for (size_t i = 0; i < lines_.size(); ++i) {
    if (name_after(lines_[i], keyword) != name) continue;
    size_t indent = indent_of(lines_[i]), end = i + 1;
    auto is_inside = [&](std::string_view line) {
      std::string_view text = trimmed(line);
      return text.empty() || indent_of(line) > indent || text[0] == ')' || text[0] == '\'';
    };
    while (end < lines_.size() && is_inside(lines_[end])) ++end;
    found.push_back({i, end});
  }
  return found;
}

std::string PythonSource::function_around(size_t at) const {
  size_t indent = indent_of(lines_[at]);
  std::string found;
  for (size_t i = at; i-- > 0 && indent > 0;) {
    size_t here = indent_of(lines_[i]);
    if (here == std::string::npos || here >= indent) continue;
    indent = here;
    std::string function(name_after(lines_[i], "def ")), type(name_after(lines_[i], "class "));
    if (found.empty())
      found = function;
    else if (!function.empty() || !type.empty())
      found.insert(0, function.empty() ? type.append(".") : function.append(".<locals>."));
  }
  return found.empty() ? "<module>" : found;
}

bool PythonSource::is_in_loop(size_t at) const {
  size_t indent = indent_of(lines_[at]);
  for (size_t i = at; i-- > 0 && indent > 0;) {
    size_t here = indent_of(lines_[i]);
    if (here == std::string::npos || here >= indent) continue;
    indent = here;
    std::string_view line = trimmed(lines_[i]);
    if (line.starts_with("for ") || line.starts_with("while ") || line.starts_with("async for "))
      return true;
    if (!name_after(line, "def ").empty()) return false;
  }
  return false;
}

}  // namespace tenure::analyze
