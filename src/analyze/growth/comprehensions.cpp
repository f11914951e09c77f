#include "analyze/growth/comprehensions.h"

#include <algorithm>

#include "analyze/heap/kept_at.h"
#include "analyze/heap/name_use.h"

namespace tenure::analyze {
namespace {

using bytecode::Append;
using bytecode::Facts;
using bytecode::Function;
using bytecode::OffsetRange;

bool is_inside(const OffsetRange& loop, int32_t offset) {
  return loop.first <= offset && offset <= loop.last;
}

// No loop inside of this one has it.
bool is_directly_in(const Facts& facts, const OffsetRange& loop, int32_t offset) {
  return is_inside(loop, offset) &&
         std::none_of(facts.loops.begin(), facts.loops.end(), [&](const OffsetRange& other) {
           return other.first > loop.first && is_inside(other, offset);
         });
}

bool is_made_for_effect(const Function& function, const Append& append) {
  const bytecode::Expression& item = function.facts[append.item];
  return item.kind == bytecode::Expression::Kind::call &&
         use_of_method(function, item) == Use::stores;
}

bool fills_its_value(const Function& function, const OffsetRange& loop) {
  const Facts& facts = function.facts;
  return std::any_of(facts.appends.begin(), facts.appends.end(), [&](const Append& append) {
    return is_directly_in(facts, loop, append.offset) && !is_made_for_effect(function, append);
  });
}

bool has_name_of_comprehension(std::string_view function) {
  return function.ends_with("<listcomp>") || function.ends_with("<setcomp>") ||
         function.ends_with("<dictcomp>");
}

// The block is made by the expression itself: its value's table, or an item that nothing of the user's made.
bool is_made_there(Frames& frames, const Growth& growth) {
  const ledger::Reader& ledger = frames.ledger();
  const ReadableFrame* user = frames.user_frame(ledger.sites()[growth.sites[0].value].stack);
  return user && ledger.stack(user->node).depth == growth.unit.depth;
}

// Whether anything else came round while the blocks were made: then the expression was evaluated again and again.
bool is_evaluated_again(const ProcessRun& process, const Growth& growth) {
  const ledger::Site& site = process.frames.ledger().sites()[growth.sites[0].value];
  for (const Unit& unit : process.units.around(site.stack, growth.unit.depth)) {
    bool is_of_expression = unit.depth == growth.unit.depth && unit.start >= growth.unit.start;
    if (!is_of_expression && unit.comes_round_between(site.first_tick, site.last_tick)) return true;
  }
  return false;
}

// What a function of the user's made is kept by the line with the comprehension.
bool is_kept_there(const ProcessRun& process, const Judgement& j) {
  if (!is_held(j)) return false;
  std::optional<Place> kept = kept_at(process.program, j.held->kept, j.held->clues);
  return kept && kept->file == j.growth.unit.file && kept->line == j.growth.unit.line;
}

}  // namespace

bool is_comprehension(const bytecode::Program& program, const Unit& loop) {
  bool is_known = false;
  for (const Function& function : program.functions()) {
    if (function.code.file != loop.file) continue;
    for (const OffsetRange& range : function.facts.loops) {
      if (range.first != loop.start || function.code.name != loop.function) continue;
      is_known = true;
      if (fills_its_value(function, range)) return true;
    }
  }
  return !is_known && has_name_of_comprehension(loop.function);
}

void dismiss_comprehensions(const ProcessRun& process, std::vector<Judgement>& judgements) {
  for (Judgement& j : judgements) {
    Growth& growth = j.growth;
    if (growth.what == GrowthClass::dismissed || growth.cause || growth.sites.empty()) continue;
    if (!growth.unit.is_users || !is_comprehension(process.program, growth.unit)) continue;
    if (!is_made_there(process.frames, growth) && !is_kept_there(process, j)) continue;
    if (is_evaluated_again(process, growth)) continue;
    growth.what = GrowthClass::dismissed;
    growth.rule = Rule::one_expression;
  }
}

}  // namespace tenure::analyze
