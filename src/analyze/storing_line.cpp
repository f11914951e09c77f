#include "analyze/storing_line.h"

#include <algorithm>
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
    "len",     "sum",       "print",  "max",         "min",      "sorted", "list",
    "set",     "tuple",     "any",    "all",         "id",       "str",    "repr",
    "mean",    "type",      "bool",   "isinstance",  "std",      "var",    "median",
    "stack",   "vstack",    "hstack", "concatenate", "concat",   "cat",    "array",
    "asarray", "enumerate", "zip",    "iter",        "reversed", "join"};
constexpr std::string_view kEmptyValues[] = {"None", "[]", "{}", "()", "0", "0.0", "True", "False"};
constexpr std::string_view kEmptyMakers[] = {"list(",    "dict(",        "set(",
                                             "deque(",   "OrderedDict(", "defaultdict(",
                                             "Counter(", "Queue(",       "field("};

template <size_t N>
bool is_one_of(std::string_view word, const std::string_view (&words)[N]) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

// ---- one mention of the name

// `opens`: stores an empty container. `binds`: gives the name to what a call has made, which others may know too.
enum class Use { none, opens, binds, stores, escapes };

// Behind brackets that belong to the name: `['train'][3]`.
size_t skip_items(std::string_view line, size_t at, bool* has_items) {
  while (at < line.size() && line[at] == '[') {
    at = behind_bracket(line, at);
    *has_items = true;
  }
  return at;
}

// `watch(model)`, nothing before and nothing behind it.
bool is_one_call(std::string_view value, size_t open) {
  if (open == std::string_view::npos || open == 0) return false;
  bool is_name = std::all_of(value.begin(), value.begin() + static_cast<long>(open),
                             [](char c) { return is_name_character(c) || c == '.'; });
  return is_name && behind_bracket(value, open) == value.size();
}

Use use_in_assignment(std::string_view value, bool has_items) {
  value = trimmed(value);
  if (has_items && (value == "[]" || value == "{}")) return Use::opens;
  if (!has_items && is_one_of(value, kEmptyValues)) return Use::none;
  size_t open = value.find('(');
  std::string_view callee = value.substr(0, open == std::string_view::npos ? 0 : open + 1);
  if (size_t dot = callee.rfind('.'); dot != std::string_view::npos)
    callee = callee.substr(dot + 1);
  if (is_one_of(callee, kEmptyMakers)) return has_items ? Use::opens : Use::none;
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
    bool is_storing = is_one_of(after.substr(1, length - 1), kStoringMethods);
    if (is_call || has_items) return is_call && is_storing ? Use::stores : Use::none;
    return is_storing ? Use::escapes : Use::none;  // `x.cache.append` handed on as a function
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

// A name to look for. What others call the same thing, or an item of it, is looked for too.
struct Wanted {
  enum class Bond { itself, same, item };
  KeptName name;
  Bond bond = Bond::itself;
};
using Bond = Wanted::Bond;

// `losses = x`, not `losses[k] = x`: another thing has the name from there on.
bool is_rebound(std::string_view line, size_t start, size_t end) {
  std::string_view after = trimmed(line.substr(end));
  return trimmed(line.substr(0, start)).empty() && after.starts_with("=") &&
         !after.starts_with("==");
}

class Search {
 public:
  Search(std::span<const PythonSource> sources, const KeptName& kept) : sources_(sources) {
    wanted_.push_back({kept});
    for (size_t i = 0; i < wanted_.size(); ++i) look_for(Wanted(wanted_[i]));  // it grows meanwhile
  }

  std::optional<StoringLine> found() const {
    const std::vector<StoringLine>* lines = &openings_;
    for (const auto* better : {&into_items_, &stores_, &item_stores_})
      if (!better->empty()) lines = better;
    bool is_sure = lines->size() == 1 && !has_escaped_;
    return is_sure ? std::optional((*lines)[0]) : std::nullopt;
  }

 private:
  static constexpr size_t kMostNames = 8;

  void look_for(const Wanted& wanted) {
    size_t functions = 0;
    for (const PythonSource& source : sources_) {
      now_ = &wanted;
      source_ = &source;
      functions += look_through();
    }
    if (functions > 1) has_escaped_ = true;
  }

  // How many functions may be the owner.
  size_t look_through() {
    const KeptName& kept = now_->name;
    if (kept.kind == Kind::cached_function) {
      look_for_decorator();
      return 0;
    }
    if (kept.kind == Kind::attribute) own_blocks_ = source_->blocks_of("class ", kept.owner);
    if (kept.kind != Kind::variable || kept.owner.empty()) {
      look_at(0, lines().size());
      return 0;
    }
    size_t functions = 0;
    for (const CodeBlock& block : source_->blocks_of("def ", bare_name(kept.owner))) {
      bool has_class = kept.owner.find('.') != kept.owner.npos;
      if (has_class && source_->function_around(block.first + 1) != kept.owner) continue;
      ++functions;
      look_at(block.first + 1, block.end);
    }
    return functions;
  }

  void look_at(size_t first, size_t end) {
    for (size_t i = first; i < end; ++i) {
      bool is_definition = !name_after(lines()[i], "def ").empty();
      note(i, is_definition ? Use::none : use_in(i));
    }
  }

  Use use_in(size_t i) {
    const std::string& line = lines()[i];
    const KeptName& kept = now_->name;
    Use use = Use::none;
    for (size_t at : mentions(line, kept.name)) {
      size_t end = at + kept.name.size(), start = at;
      bool is_dotted = at > 0 && line[at - 1] == '.';
      while (start > 0 && (is_name_character(line[start - 1]) || line[start - 1] == '.')) --start;
      if (!is_ours(line.substr(start, at - start), is_dotted, i)) continue;
      bool has_key = std::string_view(line).substr(end).starts_with("['']");
      if (has_key && !kept.key.empty() && !names_item(i)) continue;  // it is another item
      use = std::max(use, followed({*source_, i, start, end}));
    }
    return use;
  }

  // What becomes of it there, unless that can be seen under another name.
  Use followed(const Mention& m) {
    const std::string& line = lines()[m.line];
    if (now_->bond != Bond::itself && is_rebound(line, m.start, m.end)) return Use::none;
    bool is_local = now_->name.kind == Kind::variable && !now_->name.owner.empty();
    Use use = use_at(line, m.start, m.end, is_local);
    if (use == Use::binds) use = runs_once(m.line) ? Use::escapes : Use::stores;
    if (now_->bond == Bond::item) return use == Use::escapes ? Use::none : use;
    if (auto item = name_of_item(m); item && want({*item, Bond::item}))
      return use == Use::stores ? Use::opens : Use::none;
    if (use != Use::escapes) return use;
    auto other = other_name(sources_, m);
    return other && want({*other, Bond::same}) ? Use::none : use;
  }

  // False: there are too many already.
  bool want(Wanted other) {
    auto is_it = [&](const Wanted& w) {
      return w.name.kind == other.name.kind && w.name.name == other.name.name &&
             w.name.owner == other.name.owner;
    };
    if (std::any_of(wanted_.begin(), wanted_.end(), is_it)) return true;
    if (wanted_.size() == kMostNames) return false;
    wanted_.push_back(std::move(other));
    return true;
  }

  // An assignment that happens once can fill nothing bit by bit.
  bool runs_once(size_t i) const {
    const KeptName& kept = now_->name;
    if (kept.kind != Kind::variable || mentions(lines()[i], kept.name).size() > 1) return false;
    bool is_local = !kept.owner.empty();
    return (is_local || source_->function_around(i) == "<module>") && !source_->is_in_loop(i);
  }

  // Whether the line says `results['mse']`.
  bool names_item(size_t i) const {
    const KeptName& kept = now_->name;
    if (kept.key.empty()) return false;
    std::string single = kept.name + "['" + kept.key + "']";
    std::string twofold = kept.name + "[\"" + kept.key + "\"]";
    std::string_view raw = source_->raw_line(i);
    return raw.find(single) != raw.npos || raw.find(twofold) != raw.npos;
  }

  // `receiver`: "self." of `self.cache`.
  bool is_ours(const std::string& receiver, bool is_dotted, size_t i) const {
    const KeptName& kept = now_->name;
    if (kept.kind == Kind::variable)
      return !is_dotted || (kept.owner.empty() && receiver != "self.");
    if (!is_dotted) return is_in_class_body(i);
    if (receiver != "self." && receiver != "cls.") return true;
    return own_blocks_.empty() || is_inside(i);
  }

  bool is_inside(size_t i) const {
    return std::any_of(own_blocks_.begin(), own_blocks_.end(),
                       [&](const CodeBlock& b) { return b.first < i && i < b.end; });
  }

  // `cache = {}` among the methods of the class, not inside one.
  bool is_in_class_body(size_t i) const {
    return is_inside(i) && source_->function_around(i) == "<module>";
  }

  void look_for_decorator() {
    for (const CodeBlock& block : source_->blocks_of("def ", now_->name.name)) {
      for (size_t below = block.first; below > 0; --below) {
        const std::string& line = lines()[below - 1];
        if (!trimmed(line).starts_with("@")) break;
        if (line.find("cache") != std::string::npos) note(below - 1, Use::stores);
      }
    }
  }

  void note(size_t i, Use use) {
    if (use == Use::none) return;
    if (use == Use::escapes) has_escaped_ = true;
    bool is_cache = now_->name.kind == Kind::cached_function;
    StoringLine line{source_->file(), static_cast<int>(i) + 1,
                     is_cache ? now_->name.name : source_->function_around(i)};
    if (use == Use::opens) openings_.push_back(line);
    if (use != Use::stores) return;
    if (names_item(i)) item_stores_.push_back(line);
    (now_->bond == Bond::item ? into_items_ : stores_).push_back(std::move(line));
  }

  const std::vector<std::string>& lines() const { return source_->lines(); }

  std::span<const PythonSource> sources_;
  std::vector<Wanted> wanted_;
  const Wanted* now_ = nullptr;
  const PythonSource* source_ = nullptr;
  std::vector<CodeBlock> own_blocks_;
  // Best last: what opens an item, what fills an item under a name of its own, what stores, and names the item.
  std::vector<StoringLine> openings_, into_items_, stores_, item_stores_;
  bool has_escaped_ = false;
};

}  // namespace

std::optional<StoringLine> find_storing_line(std::span<const SourceText> sources,
                                             const KeptName& kept) {
  if (kept.name.empty()) return std::nullopt;
  std::vector<PythonSource> read(sources.begin(), sources.end());
  return Search(read, kept).found();
}

bool is_mentioned(std::span<const SourceText> sources, const std::string& name) {
  return std::any_of(sources.begin(), sources.end(), [&](const SourceText& source) {
    if (!has_word(source.text, name)) return false;  // most sources; they need not be taken apart
    PythonSource read(source);
    return std::any_of(read.lines().begin(), read.lines().end(),
                       [&](const std::string& line) { return has_word(line, name); });
  });
}

}  // namespace tenure::analyze
