#include "analyze/other_names.h"

#include <algorithm>
#include <vector>

#include "base/whole_words.h"

namespace tenure::analyze {
namespace {

using Kind = KeptName::Kind;

constexpr size_t kLongestSignature = 30;  // lines

struct Function {
  const PythonSource* source;
  CodeBlock block;
};

// The only one of that name; of a class its constructor.
std::optional<Function> function_named(std::span<const PythonSource> sources,
                                       const std::string& name) {
  std::vector<Function> functions, classes;
  for (const PythonSource& source : sources) {
    for (const CodeBlock& block : source.blocks_of("def ", name))
      functions.push_back({&source, block});
    for (const CodeBlock& type : source.blocks_of("class ", name)) {
      for (const CodeBlock& block : source.blocks_of("def ", "__init__"))
        if (type.first < block.first && block.first < type.end) classes.push_back({&source, block});
    }
  }
  std::vector<Function>& all = functions.empty() ? classes : functions;
  return all.size() == 1 ? std::optional(all[0]) : std::nullopt;
}

std::string full_name(const Function& function) {
  return function.source->function_around(function.block.first + 1);
}

// The text of a bracket's inside, split at the commas that belong to it.
std::vector<std::string> split_at_commas(std::string_view inside) {
  std::vector<std::string> parts(1);
  for (size_t at = 0; at < inside.size();) {
    bool is_open = std::string_view("([{").find(inside[at]) != std::string_view::npos;
    size_t end = is_open ? behind_bracket(inside, at) : at + 1;
    if (inside[at] == ',')
      parts.emplace_back();
    else
      parts.back() += inside.substr(at, end - at);
    at = end;
  }
  return parts;
}

// Without `self`, stars and what is behind a name. A star ends those that can be given by place.
std::vector<std::string> parameters_of(const Function& function) {
  std::string head;
  const std::vector<std::string>& lines = function.source->lines();
  size_t end = std::min(function.block.end, function.block.first + kLongestSignature);
  for (size_t i = function.block.first; i < end; ++i) head += lines[i];
  size_t open = head.find('(');
  if (open == head.npos) return {};
  size_t close = behind_bracket(head, open);
  std::vector<std::string> names;
  for (const std::string& part : split_at_commas(
           std::string_view(head).substr(open + 1, close > open + 1 ? close - open - 2 : 0))) {
    std::string_view text = trimmed(part);
    size_t length = 0;
    while (length < text.size() && is_name_character(text[length])) ++length;
    names.emplace_back(text.substr(0, length));
  }
  if (!names.empty() && (names[0] == "self" || names[0] == "cls")) names.erase(names.begin());
  return names;
}

// The bracket around a place, and how many commas are between.
struct Around {
  size_t open;
  size_t commas;
  std::string_view just_before;  // since the last of them
};

std::optional<Around> call_around(std::string_view line, size_t start) {
  int depth = 0;
  size_t commas = 0, since = start;
  bool is_known = false;
  for (size_t at = start; at-- > 0;) {
    char c = line[at];
    if (c == ')' || c == ']' || c == '}') ++depth;
    bool is_open = c == '(' || c == '[' || c == '{';
    if (depth == 0 && (is_open || c == ',') && !is_known) {
      since = at + 1;
      is_known = true;
    }
    if (depth == 0 && c == ',') ++commas;
    if (is_open && depth-- == 0)
      return c == '(' ? std::optional(Around{at, commas, line.substr(since, start - since)})
                      : std::nullopt;
  }
  return std::nullopt;
}

std::string name_before(std::string_view line, size_t end) {
  size_t start = end;
  while (start > 0 && is_name_character(line[start - 1])) --start;
  return std::string(line.substr(start, end - start));
}

std::optional<KeptName> as_parameter(std::span<const PythonSource> sources, const Mention& m) {
  std::string_view line = m.source.lines()[m.line], after = trimmed(line.substr(m.end));
  std::optional<Around> around = call_around(line, m.start);
  if (!around || after.empty() || (after[0] != ',' && after[0] != ')')) return std::nullopt;
  std::string callee = name_before(line, around->open);
  std::optional<Function> function =
      callee.empty() ? std::nullopt : function_named(sources, callee);
  if (!function) return std::nullopt;
  std::vector<std::string> names = parameters_of(*function);
  std::string_view before = trimmed(around->just_before);
  std::string name;
  if (before.empty()) {
    bool is_there = around->commas < names.size() &&
                    std::find(names.begin(), names.begin() + static_cast<long>(around->commas),
                              "") == names.begin() + static_cast<long>(around->commas);
    name = is_there ? names[around->commas] : "";
  } else if (before.back() == '=') {
    name = trimmed(before.substr(0, before.size() - 1));
    if (std::find(names.begin(), names.end(), name) == names.end()) name.clear();
  }
  if (name.empty()) return std::nullopt;
  return KeptName{Kind::variable, name, full_name(*function), ""};
}

// What is left of the one `=` before a place, if nothing else is there.
std::string_view target_before(std::string_view line, size_t start) {
  std::string_view before = trimmed(line.substr(0, start));
  if (!before.ends_with("=")) return {};
  before = trimmed(before.substr(0, before.size() - 1));
  bool is_name = std::all_of(before.begin(), before.end(),
                             [](char c) { return is_name_character(c) || c == '.'; });
  return is_name ? before : std::string_view{};
}

std::optional<KeptName> variable_at(const Mention& m, std::string_view name) {
  std::string function = m.source.function_around(m.line);
  return KeptName{Kind::variable, std::string(name), function == "<module>" ? "" : function, ""};
}

std::optional<KeptName> as_target(const Mention& m) {
  std::string_view line = m.source.lines()[m.line];
  std::string_view target = target_before(line, m.start);
  if (target.empty() || !trimmed(line.substr(m.end)).empty()) return std::nullopt;
  if (target.find('.') == target.npos) return variable_at(m, target);
  std::string method = m.source.function_around(m.line);
  size_t dot = method.find('.');
  bool is_own = target.starts_with("self.") && target.rfind('.') == 4;
  if (!is_own || dot == method.npos || method.rfind('.') != dot) return std::nullopt;
  return KeptName{Kind::attribute, std::string(target.substr(5)), method.substr(0, dot), ""};
}

// What the function returns, if that is one name.
std::string returned_by(const Function& function) {
  std::string found, name = full_name(function);
  for (size_t i = function.block.first + 1; i < function.block.end; ++i) {
    std::string_view line = trimmed(function.source->lines()[i]);
    if (!line.starts_with("return") || function.source->function_around(i) != name) continue;
    std::string_view value = trimmed(line.substr(6));
    bool is_name = !value.empty() && std::all_of(value.begin(), value.end(), is_name_character);
    if (!is_name || (!found.empty() && found != value)) return "";
    found = value;
  }
  return found;
}

std::optional<KeptName> as_returned(std::span<const PythonSource> sources, const Mention& m) {
  std::string_view line = m.source.lines()[m.line], after = trimmed(line.substr(m.end));
  size_t open = after.find('(');
  if (!after.starts_with("=") || open == after.npos) return std::nullopt;
  std::string callee = name_before(after, open);
  std::optional<Function> function =
      callee.empty() ? std::nullopt : function_named(sources, callee);
  std::string name = function ? returned_by(*function) : "";
  if (name.empty()) return std::nullopt;
  return KeptName{Kind::variable, name, full_name(*function), ""};
}

}  // namespace

std::optional<KeptName> other_name(std::span<const PythonSource> sources, const Mention& mention) {
  if (auto name = as_returned(sources, mention)) return name;
  if (auto name = as_target(mention)) return name;
  return as_parameter(sources, mention);
}

std::optional<KeptName> name_of_item(const Mention& m) {
  std::string_view line = m.source.lines()[m.line], after = line.substr(m.end);
  std::string_view target = target_before(line, m.start);
  size_t open = std::min(after.find('['), after.find('('));
  std::string_view way = after.substr(0, open == after.npos ? 0 : open + 1);
  bool is_item = way == "[" || way == ".setdefault(" || way == ".get(";
  if (target.empty() || target.find('.') != target.npos || !is_item) return std::nullopt;
  if (!trimmed(after.substr(behind_bracket(after, open))).empty()) return std::nullopt;
  std::optional<KeptName> name = variable_at(m, target);
  return name->owner.empty() ? std::nullopt : name;  // a global may be anything elsewhere
}

}  // namespace tenure::analyze
