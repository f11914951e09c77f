#include "analyze/storing_line.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

#include "base/whole_words.h"

namespace tenure::analyze {
namespace {

using Kind = KeptName::Kind;

constexpr std::string_view kStoringMethods[] = {
    "append", "appendleft", "extend",     "extendleft", "insert",    "add",
    "update", "push",       "setdefault", "put",        "put_nowait"};
// What only looks at its argument: the name does not go on living under another one.
constexpr std::string_view kHarmlessCalls[] = {
    "len", "sum", "print", "max", "min",  "sorted", "list", "set",  "tuple",
    "any", "all", "id",    "str", "repr", "mean",   "type", "bool", "isinstance"};
constexpr std::string_view kEmptyValues[] = {"None", "[]", "{}", "()", "0", "0.0", "True", "False"};
constexpr std::string_view kEmptyMakers[] = {"list(",    "dict(",        "set(",
                                             "deque(",   "OrderedDict(", "defaultdict(",
                                             "Counter(", "Queue(",       "field("};

template <size_t N>
bool is_one_of(std::string_view word, const std::string_view (&words)[N]) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())))
    text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())))
    text.remove_suffix(1);
  return text;
}

// ---- the source as lines of code: no comments, strings emptied

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

// "def " or "class " -> the name that follows; empty if the line does not begin with it.
std::string_view name_after(std::string_view line, std::string_view keyword) {
  line = trimmed(line);
  if (line.starts_with("async ")) line = trimmed(line.substr(6));
  if (!line.starts_with(keyword)) return {};
  line = trimmed(line.substr(keyword.size()));
  size_t end = 0;
  while (end < line.size() && is_name_character(line[end])) ++end;
  return line.substr(0, end);
}

struct Block {
  size_t first = 0, end = 0;  // lines
  size_t indent = 0;
};

// The blocks that `keyword name` begins.
std::vector<Block> blocks_of(const std::vector<std::string>& lines, std::string_view keyword,
                             std::string_view name) {
  std::vector<Block> found;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (name_after(lines[i], keyword) != name) continue;
    size_t indent = lines[i].find_first_not_of(" \t"), end = i + 1;
    auto is_inside = [&](std::string_view line) {
      std::string_view text = trimmed(line);
      return text.empty() || line.find_first_not_of(" \t") > indent || text[0] == ')' ||
             text[0] == '\'';
    };
    while (end < lines.size() && is_inside(lines[end])) ++end;
    found.push_back({i, end, indent});
  }
  return found;
}

// As Python calls it: `Loader.batch`, `install.<locals>.hook`.
std::string function_around(const std::vector<std::string>& lines, size_t at) {
  size_t indent = lines[at].find_first_not_of(" \t");
  std::string found;
  for (size_t i = at; i-- > 0 && indent > 0;) {
    size_t here = lines[i].find_first_not_of(" \t");
    if (here == std::string::npos || here >= indent) continue;
    indent = here;
    std::string function(name_after(lines[i], "def ")), type(name_after(lines[i], "class "));
    if (found.empty())
      found = function;
    else if (!function.empty() || !type.empty())
      found.insert(0, function.empty() ? type.append(".") : function.append(".<locals>."));
  }
  return found.empty() ? "<module>" : found;
}

// Whether a loop of the same function goes round the line.
bool is_in_loop(const std::vector<std::string>& lines, size_t at) {
  size_t indent = lines[at].find_first_not_of(" \t");
  for (size_t i = at; i-- > 0 && indent > 0;) {
    size_t here = lines[i].find_first_not_of(" \t");
    if (here == std::string::npos || here >= indent) continue;
    indent = here;
    std::string_view line = trimmed(lines[i]);
    if (line.starts_with("for ") || line.starts_with("while ") || line.starts_with("async for "))
      return true;
    if (!name_after(line, "def ").empty()) return false;
  }
  return false;
}

// ---- one mention of the name

// `binds`: gives the name to what a call has made, which others may know too.
enum class Use { none, binds, stores, escapes };

// Behind brackets that belong to the name: `['train'][3]`.
size_t skip_items(std::string_view line, size_t at, bool* has_items) {
  while (at < line.size() && line[at] == '[') {
    int depth = 0;
    do {
      if (line[at] == '[') ++depth;
      if (line[at] == ']') --depth;
    } while (++at < line.size() && depth > 0);
    *has_items = true;
  }
  return at;
}

// `watch(model)`, nothing before and nothing behind it.
bool is_one_call(std::string_view value, size_t open) {
  if (open == std::string_view::npos || open == 0) return false;
  bool is_name = std::all_of(value.begin(), value.begin() + static_cast<long>(open),
                             [](char c) { return is_name_character(c) || c == '.'; });
  int depth = 0;
  size_t at = open;
  do {
    if (value[at] == '(') ++depth;
    if (value[at] == ')') --depth;
  } while (++at < value.size() && depth > 0);
  return is_name && at == value.size();
}

Use use_in_assignment(std::string_view value, bool has_items) {
  value = trimmed(value);
  if (!has_items && is_one_of(value, kEmptyValues)) return Use::none;
  size_t open = value.find('(');
  std::string_view callee = value.substr(0, open == std::string_view::npos ? 0 : open + 1);
  if (size_t dot = callee.rfind('.'); dot != std::string_view::npos)
    callee = callee.substr(dot + 1);
  if (is_one_of(callee, kEmptyMakers)) return Use::none;
  return !has_items && is_one_call(value, open) ? Use::binds : Use::stores;
}

// The function of the call whose argument begins at `at`; empty if it is no first argument.
std::string_view callee_before(std::string_view line, size_t at) {
  std::string_view before = trimmed(line.substr(0, at));
  if (before.empty() || before.back() != '(') return {};
  before.remove_suffix(1);
  size_t start = before.size();
  while (start > 0 && is_name_character(before[start - 1])) --start;
  return before.substr(start);
}

bool is_bare_word(std::string_view before, std::string_view word) {
  return before.ends_with(word) && (before.size() == word.size() ||
                                    !is_name_character(before[before.size() - word.size() - 1]));
}

// The thing itself, not something made from it, is given to someone.
bool is_handed_on(std::string_view before, std::string_view after) {
  bool is_whole = after.empty() || std::string_view(",)]}:;").find(after[0]) != after.npos ||
                  after.starts_with("or ") || after.starts_with("and ") || after.starts_with("if ");
  return is_whole && !before.empty() &&
         std::string_view("=(,[{:*").find(before.back()) != before.npos;
}

// `start`: of the whole dotted name; `end`: behind it.
Use use_at(std::string_view line, size_t start, size_t end, bool is_local) {
  bool has_items = false;
  size_t at = skip_items(line, end, &has_items);
  std::string_view after = trimmed(line.substr(at)), before = trimmed(line.substr(0, start));
  if (after.starts_with(".")) {
    size_t length = 1;
    while (length < after.size() && is_name_character(after[length])) ++length;
    bool is_call = length < after.size() && after[length] == '(';
    bool is_store = is_call && is_one_of(after.substr(1, length - 1), kStoringMethods);
    if (is_store) return Use::stores;
    return is_call || has_items ? Use::none
                                : Use::escapes;  // `x.cache.append` handed on as a function
  }
  bool is_first = before.empty() || before.ends_with(";") || before.ends_with(":");
  for (std::string_view sign : {"+=", "|="})
    if (is_first && after.starts_with(sign)) return Use::stores;
  if (is_first && after.starts_with("=") && !after.starts_with("=="))
    return use_in_assignment(after.substr(1), has_items);
  if (is_first && after.starts_with(":") && !has_items) {  // `losses: list = []`
    size_t equals = after.find('=');
    return equals == std::string_view::npos ? Use::none
                                            : use_in_assignment(after.substr(equals + 1), false);
  }
  if (has_items || is_bare_word(before, "in") || is_bare_word(before, "global") ||
      is_bare_word(before, "nonlocal") || is_bare_word(before, "del") ||
      is_bare_word(before, "if") || is_bare_word(before, "not") || is_bare_word(before, "while"))
    return Use::none;
  if (is_bare_word(before, "return")) return is_local ? Use::none : Use::escapes;
  if (is_one_of(callee_before(line, start), kHarmlessCalls)) return Use::none;
  return is_handed_on(before, after) ? Use::escapes : Use::none;
}

// ---- all mentions

class Search {
 public:
  explicit Search(const KeptName& kept) : kept_(kept) {}

  void look_through(const SourceText& source) {
    lines_ = CodeLines(source.text).take_lines();
    raw_lines_ = split(source.text);
    source_ = &source;
    if (kept_.kind == Kind::cached_function) return look_for_decorator();
    if (kept_.kind == Kind::attribute) own_blocks_ = blocks_of(lines_, "class ", kept_.owner);
    if (kept_.kind == Kind::variable && !kept_.owner.empty()) {
      for (const Block& block : blocks_of(lines_, "def ", kept_.owner)) {
        ++functions_;
        look_at(block.first + 1, block.end);
      }
      return;
    }
    look_at(0, lines_.size());
  }

  std::optional<StoringLine> found() const {
    const std::vector<StoringLine>& lines = item_stores_.empty() ? stores_ : item_stores_;
    bool is_sure = lines.size() == 1 && !has_escaped_ && functions_ <= 1;
    return is_sure ? std::optional(lines[0]) : std::nullopt;
  }

 private:
  void look_at(size_t first, size_t end) {
    for (size_t i = first; i < end; ++i) {
      bool is_definition = !name_after(lines_[i], "def ").empty();
      Use use = is_definition ? Use::none : use_in(i);
      if (use == Use::binds) use = runs_once(i) ? Use::escapes : Use::stores;
      if (use == Use::stores) note(i, stores_);
      if (use == Use::stores && names_item(i)) note(i, item_stores_);
      if (use == Use::escapes) has_escaped_ = true;
    }
  }

  Use use_in(size_t i) const {
    const std::string& line = lines_[i];
    Use use = Use::none;
    for (size_t at : mentions(line, kept_.name)) {
      size_t end = at + kept_.name.size(), start = at;
      bool is_dotted = at > 0 && line[at - 1] == '.';
      while (start > 0 && (is_name_character(line[start - 1]) || line[start - 1] == '.')) --start;
      if (!is_ours(line.substr(start, at - start), is_dotted, i)) continue;
      bool has_key = std::string_view(line).substr(end).starts_with("['']");
      if (has_key && !kept_.key.empty() && !names_item(i)) continue;  // it is another item
      bool is_local = kept_.kind == Kind::variable && !kept_.owner.empty();
      use = std::max(use, use_at(line, start, end, is_local));
    }
    return use;
  }

  // An assignment that happens once can fill nothing bit by bit.
  bool runs_once(size_t i) const {
    if (kept_.kind != Kind::variable || mentions(lines_[i], kept_.name).size() > 1) return false;
    bool is_local = !kept_.owner.empty();
    return (is_local || function_around(lines_, i) == "<module>") && !is_in_loop(lines_, i);
  }

  // Whether the line says `results['mse']`.
  bool names_item(size_t i) const {
    if (kept_.key.empty()) return false;
    std::string single = kept_.name + "['" + kept_.key + "']";
    std::string twofold = kept_.name + "[\"" + kept_.key + "\"]";
    return raw_lines_[i].find(single) != raw_lines_[i].npos ||
           raw_lines_[i].find(twofold) != raw_lines_[i].npos;
  }

  // `receiver`: "self." of `self.cache`.
  bool is_ours(const std::string& receiver, bool is_dotted, size_t i) const {
    if (kept_.kind == Kind::variable)
      return !is_dotted || (kept_.owner.empty() && receiver != "self.");
    if (!is_dotted) return is_in_class_body(i);
    if (receiver != "self." && receiver != "cls.") return true;
    return own_blocks_.empty() || is_inside(i);
  }

  bool is_inside(size_t i) const {
    return std::any_of(own_blocks_.begin(), own_blocks_.end(),
                       [&](const Block& b) { return b.first < i && i < b.end; });
  }

  // `cache = {}` among the methods of the class, not inside one.
  bool is_in_class_body(size_t i) const {
    return is_inside(i) && function_around(lines_, i) == "<module>";
  }

  void look_for_decorator() {
    for (const Block& block : blocks_of(lines_, "def ", kept_.name)) {
      for (size_t below = block.first; below > 0; --below) {
        const std::string& line = lines_[below - 1];
        if (!trimmed(line).starts_with("@")) break;
        if (line.find("cache") != std::string::npos) note(below - 1, stores_);
      }
    }
  }

  void note(size_t line, std::vector<StoringLine>& stores) {
    std::string function =
        kept_.kind == Kind::cached_function ? kept_.name : function_around(lines_, line);
    stores.push_back({source_->file, static_cast<int>(line) + 1, std::move(function)});
  }

  const KeptName& kept_;
  const SourceText* source_ = nullptr;
  std::vector<std::string> lines_;
  std::vector<std::string_view> raw_lines_;  // the same, with comments and strings
  std::vector<Block> own_blocks_;
  std::vector<StoringLine> stores_;
  std::vector<StoringLine> item_stores_;  // those of them that name the item
  bool has_escaped_ = false;
  int functions_ = 0;
};

}  // namespace

std::optional<StoringLine> find_storing_line(std::span<const SourceText> sources,
                                             const KeptName& kept) {
  if (kept.name.empty()) return std::nullopt;
  Search search(kept);
  for (const SourceText& source : sources) search.look_through(source);
  return search.found();
}

bool is_mentioned(std::span<const SourceText> sources, const std::string& name) {
  return std::any_of(sources.begin(), sources.end(), [&](const SourceText& source) {
    if (!has_word(source.text, name)) return false;  // most sources; they need not be taken apart
    std::vector<std::string> lines = CodeLines(source.text).take_lines();
    return std::any_of(lines.begin(), lines.end(),
                       [&](const std::string& line) { return has_word(line, name); });
  });
}

}  // namespace tenure::analyze
