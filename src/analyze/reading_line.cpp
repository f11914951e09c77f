#include "analyze/reading_line.h"

#include <algorithm>
#include <sstream>

#include "base/whole_words.h"

namespace tenure::analyze {
namespace {

size_t skip_blanks(std::string_view line, size_t at) {
  while (at < line.size() && line[at] == ' ') ++at;
  return at;
}

bool is_assigned(std::string_view line, size_t end) {
  size_t at = skip_blanks(line, end);
  return at < line.size() && line[at] == '=' && (at + 1 == line.size() || line[at + 1] != '=');
}

// `len(self.rows)`: nothing else stands between the parentheses.
bool is_only_counted(std::string_view line, size_t at, size_t end) {
  if (end == line.size() || line[end] != ')') return false;
  while (at > 0 && (is_name_character(line[at - 1]) || line[at - 1] == '.')) --at;
  return at >= 4 && line.substr(at - 4, 4) == "len(";
}

}  // namespace

bool reads_name(std::string_view line, const KeptName& name) {
  if (name.name.empty()) return false;
  line = line.substr(0, line.find('#'));
  bool is_attribute = name.kind == KeptName::Kind::attribute;
  std::vector<size_t> all = mentions(line, name.name);
  return std::any_of(all.begin(), all.end(), [&](size_t at) {
    size_t end = at + name.name.size();
    bool has_dot = at > 0 && line[at - 1] == '.';
    return has_dot == is_attribute && !is_assigned(line, end) && !is_only_counted(line, at, end);
  });
}

std::vector<FunctionLine> lines_of_functions(const std::string& source) {
  struct Open {
    size_t blanks;
    std::string name;
    int line;
  };
  std::vector<Open> open;
  std::vector<FunctionLine> found;
  std::istringstream lines(source);
  int number = 0, decorator = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    size_t blanks = skip_blanks(line, 0);
    if (blanks == line.size() || line[blanks] == '#' || line[blanks] == ')') continue;
    while (!open.empty() && blanks <= open.back().blanks) open.pop_back();
    if (line[blanks] == '@' && decorator == 0) decorator = number;
    if (line.compare(blanks, 4, "def ") == 0) {
      size_t end = line.find('(', blanks);
      open.push_back(
          {blanks, line.substr(blanks + 4, end - blanks - 4), decorator ? decorator : number});
      decorator = 0;
    } else if (!open.empty()) {
      found.push_back({number, open.back().line, open.back().name, line});
    }
  }
  return found;
}

}  // namespace tenure::analyze
