#include "analyze/heap/storing_line.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "analyze/heap/name_use.h"
#include "analyze/heap/other_names.h"
#include "analyze/heap/rules.h"

namespace tenure::analyze {
namespace {

using bytecode::Expression;
using bytecode::ExpressionId;
using bytecode::Fact;
using bytecode::Function;
using bytecode::Program;

// A name to look for. What others call the same thing, or an item of it, is looked for too.
struct Wanted {
  enum class Bond { itself, same, item };
  KeptName name;
  Bond bond = Bond::itself;
};
using Bond = Wanted::Bond;

// What the lines of one file do to the name that is looked for.
struct LineUse {
  Use use = Use::none;
  bool names_item = false;
  bool extends_graph = false;
  std::string_view function;
};

// One name in one function.
class UsesInFunction {
 public:
  using Want = std::function<bool(Wanted)>;

  UsesInFunction(const Program& program, const Function& function, const NameScope& scope,
                 Bond bond, Want want)
      : program_(program),
        function_(function),
        scope_(scope),
        bond_(bond),
        want_(std::move(want)) {}

  std::map<int, LineUse> all() {
    note_items();
    note_renewals();
    for (const Fact& fact : facts().facts) look_at(fact);
    return std::move(lines_);
  }

 private:
  const bytecode::Facts& facts() const { return function_.facts; }

  void note(int line, Use use, std::string_view key = {}) {
    if (use == Use::none) return;
    const std::string& wanted_key = scope_.name().key;
    if (!wanted_key.empty() && !key.empty() && key != wanted_key) return;  // it is another item
    LineUse& known = lines_[line];
    known.use = std::max(known.use, use);
    known.names_item |= !key.empty() && use == Use::stores && key == wanted_key;
    known.function = function_.told_name();
  }

  // `rows = log['train']`, `rows = log.setdefault(name, [])`: an item of it under a name of its own.
  void note_items() {
    if (bond_ == Bond::item) return;
    for (const Fact& fact : facts().facts) {
      if (fact.kind != Fact::Kind::binds) continue;
      NameScope::Root root = scope_.root_of(function_, fact.value);
      if (root.name == bytecode::kNothing || !root.has_items) continue;
      std::optional<KeptName> name = name_of_target(function_, fact.target);
      if (!name || name->owner.empty()) continue;  // a global may be anything elsewhere
      if (want_({std::move(*name), Bond::item})) named_items_.insert(fact.value);
    }
  }

  // `last = Episode(frames, last)`: the old value goes on living in the new one, under the same name.
  void note_renewals() {
    for (const Fact& fact : facts().facts) {
      bool gives_name = fact.kind == Fact::Kind::binds || fact.kind == Fact::Kind::stores_attribute;
      if (gives_name && scope_.is_it(function_, fact.target)) renewals_.insert(fact.value);
    }
  }

  void look_at(const Fact& fact) {
    switch (fact.kind) {
      case Fact::Kind::binds:
      case Fact::Kind::stores_attribute:
        if (scope_.is_it(function_, fact.target)) return look_at_new_value(fact);
        return look_at_given(fact);
      case Fact::Kind::stores_item:
        return look_at_item(fact);
      case Fact::Kind::calls:
        return look_at_call(fact.value);
      case Fact::Kind::returns:
        return look_at_returned(fact);
    }
  }

  // An assignment that happens once can fill nothing bit by bit: then the name is that of another's thing.
  void look_at_new_value(const Fact& fact) {
    if (bond_ != Bond::itself) return;
    Use use = use_of_value(scope_, function_, fact.value, false);
    if (use == Use::binds) {
      use = runs_once(fact) ? Use::escapes : Use::stores;
      if (use == Use::escapes) {
        auto other = name_of_returned(program_, function_, facts()[fact.value]);
        if (other && want_({std::move(*other), Bond::same})) use = Use::none;
      }
    }
    note(fact.line, use);
    if (scope_.name().is_graph && reads_old_value(fact)) lines_[fact.line].extends_graph = true;
  }

  bool reads_old_value(const Fact& fact) const {
    return bytecode::contains(facts(), fact.value, [&](const Expression& e) {
      return is_same_name(facts(), e, facts()[fact.target]);
    });
  }

  bool runs_once(const Fact& fact) const {
    const KeptName& kept = scope_.name();
    if (kept.kind != KeptName::Kind::variable || reads_old_value(fact)) return false;
    bool is_single = !kept.owner.empty() || function_.code.name == "<module>";
    return is_single && !facts().is_in_loop(fact.offset);
  }

  // `other = log`, `self.log = log`, `both = [log, x]`.
  void look_at_given(const Fact& fact) {
    for (const auto& [name, is_part] : handed_on(scope_, function_, fact.value)) {
      auto other = is_part ? std::nullopt : name_of_target(function_, fact.target);
      bool is_followed = other && want_({std::move(*other), Bond::same});
      if (!is_followed) escape(name);
    }
  }

  void look_at_item(const Fact& fact) {
    NameScope::Root root = scope_.root_of(function_, fact.target);
    if (root.name != bytecode::kNothing) {
      const Expression& key = facts()[fact.key];
      bool is_text = !root.has_items && key.kind == Expression::Kind::constant;
      note(facts()[root.name].line, use_of_value(scope_, function_, fact.value, true),
           is_text ? key.name : root.key);
    }
    for (const auto& given : handed_on(scope_, function_, fact.value)) escape(given.name);
  }

  void look_at_call(ExpressionId id) {
    const Expression& call = facts()[id];
    const Expression& callee = facts()[call.parts[0]];
    if (callee.kind == Expression::Kind::attribute && !callee.parts.empty()) {
      NameScope::Root root = scope_.root_of(function_, callee.parts[0]);
      bool is_named = named_items_.contains(id);
      if (root.name != bytecode::kNothing) {
        Use use = use_of_method(function_, call);
        note(facts()[root.name].line, is_named && use == Use::stores ? Use::opens : use, root.key);
      }
    }
    if (stores_into_argument(function_, call)) {
      NameScope::Root root = scope_.root_of(function_, call.parts[1]);
      if (root.name != bytecode::kNothing) note(facts()[root.name].line, Use::stores, root.key);
      return;
    }
    if (only_looks(function_, call) || renewals_.contains(id)) return;
    for (size_t part = 1; part < call.parts.size(); ++part) look_at_argument(call, part);
  }

  void look_at_argument(const Expression& call, size_t part) {
    for (const auto& [name, is_part] : handed_on(scope_, function_, call.parts[part])) {
      auto other = is_part ? std::nullopt : name_of_parameter(program_, function_, call, part);
      bool is_followed = other && want_({std::move(*other), Bond::same});
      if (!is_followed) escape(name);
    }
  }

  void look_at_returned(const Fact& fact) {
    const KeptName& kept = scope_.name();
    bool is_local = kept.kind == KeptName::Kind::variable && !kept.owner.empty();
    if (is_local) return;
    for (const auto& given : handed_on(scope_, function_, fact.value)) escape(given.name);
  }

  // What becomes of a mere item does not matter.
  void escape(ExpressionId name) {
    if (bond_ != Bond::item) note(facts()[name].line, Use::escapes);
  }

  const Program& program_;
  const Function& function_;
  const NameScope& scope_;
  Bond bond_;
  Want want_;
  std::set<ExpressionId> named_items_;  // values that have a name of their own
  std::set<ExpressionId> renewals_;     // values that the name gets
  std::map<int, LineUse> lines_;
};

class Search {
 public:
  Search(const Program& program, const KeptName& kept) : program_(program) {
    wanted_.push_back({kept});
    for (size_t i = 0; i < wanted_.size(); ++i) look_for(Wanted(wanted_[i]));  // it grows meanwhile
  }

  std::optional<StoringLine> found() const {
    const Lines* lines = &openings_;
    for (const Lines* better : {&into_items_, &stores_, &item_stores_, &extends_graph_})
      if (!better->empty()) lines = better;
    bool is_sure = lines->size() == 1 && !has_escaped_;
    if (!is_sure) return std::nullopt;
    const auto& [place, function] = *lines->begin();
    return StoringLine{place.first, place.second, function};
  }

 private:
  using Lines = std::map<std::pair<std::string, int>, std::string>;  // file, line -> function

  void look_for(const Wanted& wanted) {
    if (wanted.name.kind == KeptName::Kind::cached_function) return look_for_cache(wanted.name);
    NameScope scope(program_, wanted.name);
    if (scope.owners() > 1) has_escaped_ = true;
    for (const Function& function : program_.functions()) {
      UsesInFunction uses(program_, function, scope, wanted.bond,
                          [&](Wanted other) { return want(std::move(other)); });
      for (const auto& [line, use] : uses.all()) note(function, line, use, wanted.bond);
    }
  }

  // False: there are too many already.
  bool want(Wanted other) {
    auto is_it = [&](const Wanted& w) {
      return w.name.kind == other.name.kind && w.name.name == other.name.name &&
             w.name.owner == other.name.owner;
    };
    if (std::any_of(wanted_.begin(), wanted_.end(), is_it)) return true;
    if (wanted_.size() == kMostNamesFollowed) return false;
    wanted_.push_back(std::move(other));
    return true;
  }

  void note(const Function& function, int line, const LineUse& use, Bond bond) {
    if (use.use == Use::escapes) has_escaped_ = true;
    std::pair place{std::string(function.code.file), line};
    std::string name(use.function);
    if (use.use == Use::opens) openings_[place] = name;
    if (use.use != Use::stores) return;
    if (use.names_item) item_stores_[place] = name;
    if (use.extends_graph) extends_graph_[place] = name;
    (bond == Bond::item ? into_items_ : stores_)[place] = name;
  }

  // The line of the decorator, where the code around the function is known; else the first of the function, which has its
  // decorators before it.
  void look_for_cache(const KeptName& kept) {
    for (const Function& function : program_.functions()) {
      if (!function.code.is_function() || function.bare_name() != kept.name) continue;
      int line = decorator_line(function).value_or(function.code.first_line);
      stores_[{std::string(function.code.file), line}] = kept.name;
    }
  }

  std::optional<int> decorator_line(const Function& decorated) const {
    for (const Function& around : program_.functions()) {
      if (around.code.file != decorated.code.file) continue;
      for (const Fact& fact : around.facts.facts) {
        bool is_it = fact.kind == Fact::Kind::binds && fact.line >= decorated.code.first_line &&
                     around.facts[fact.target].name == decorated.bare_name();
        if (!is_it || around.facts[fact.value].kind != Expression::Kind::call) continue;
        if (auto line = line_that_caches(around, fact.value)) return line;
      }
    }
    return std::nullopt;
  }

  static std::optional<int> line_that_caches(const Function& around, ExpressionId value) {
    std::optional<int> line;
    bytecode::contains(around.facts, value, [&](const Expression& e) {
      bool is_named = e.kind == Expression::Kind::attribute || e.kind == Expression::Kind::global ||
                      e.kind == Expression::Kind::local;
      if (is_named && e.name.find("cache") != e.name.npos) line = e.line;
      return line.has_value();
    });
    return line;
  }

  const Program& program_;
  std::vector<Wanted> wanted_;
  // Best last: what opens an item, what fills an item under a name of its own, what stores, names the item, or makes a
  // tensor with its graph from what it was.
  Lines openings_, into_items_, stores_, item_stores_, extends_graph_;
  bool has_escaped_ = false;
};

}  // namespace

std::optional<StoringLine> find_storing_line(const Program& program, const KeptName& kept) {
  if (kept.name.empty()) return std::nullopt;
  return Search(program, kept).found();
}

}  // namespace tenure::analyze
