#include "analyze/growth/growth.h"

#include <algorithm>

#include "analyze/growth/comprehensions.h"
#include "analyze/growth/held_growth.h"
#include "analyze/growth/line_judge.h"
#include "analyze/growth/rules.h"
#include "base/sentence_writer.h"

namespace tenure::analyze {
namespace {

bool is_nameless(const Judgement& j) { return j.growth.line.line == 0 && !is_held(j); }

// What a library makes in its own threads is most likely for the line that leaks: it is no leak of its own beside that.
void attribute_to_lines(std::vector<Judgement>& judgements) {
  bool is_known = std::any_of(judgements.begin(), judgements.end(), [](const Judgement& j) {
    return is_leak(j.growth.what) && !is_nameless(j);
  });
  for (Judgement& j : judgements) {
    if (!is_known || !is_leak(j.growth.what) || !is_nameless(j)) continue;
    j.growth.what = GrowthClass::dismissed;
    j.growth.rule = Rule::of_library;
  }
}

// Python objects are piled up there: in the table of a container that grows all along, or in blocks of their own.
bool is_pile_of_python(const Judgement& j) {
  return is_leak(j.growth.what) && j.held && j.held->is_most && !j.held->key.empty() &&
         j.held->retention_kind == RetentionKind::python;
}

// Arenas are so large that a pile may fill too few of them to tell by themselves.
bool are_small_objects(const Growth& growth) {
  if (growth.block_kind != ledger::BlockKind::object_arena) return false;
  bool is_too_coarse = growth.rule == Rule::few_late_steps && growth.survivors >= kFewestLate;
  return is_too_coarse || (is_leak(growth.what) && growth.rule == Rule::small_objects);
}

// Small objects that nobody is seen to hold belong to what piles up beside them, where there is only one pile.
void name_small_objects(std::vector<Judgement>& judgements) {
  const Judgement* pile = nullptr;
  for (const Judgement& j : judgements) {
    if (!is_pile_of_python(j)) continue;
    if (pile && pile->held->key != j.held->key) return;
    if (!pile) pile = &j;
  }
  for (Judgement& j : judgements) {
    if (!pile || j.held || !are_small_objects(j.growth)) continue;
    j.growth.what = GrowthClass::leak;
    j.growth.rule = Rule::small_objects;
    j.held = pile->held;
    j.held->why = sentence("held.small_objects.why");
    if (pile->growth.is_one_block) j.held->table = pile->growth.sites.front();
  }
}

}  // namespace

GrowthJudgements judge_growth(const ProcessRun& process, const Evidence& evidence, Holders& holders,
                              const Causes& causes) {
  Frames& frames = process.frames;
  const Units& units = process.units;
  GrowthLines lines =
      growth_lines(frames, evidence, causes, holders.kept_by_program(causes.claimed()));
  std::vector<Growth> growths = judge_lines(process, evidence.axis, lines, causes);
  GrowthJudgements judged;
  judged.lines =
      judge_by_holders(std::move(growths), holders, frames.ledger().header().peak_bytes.load());
  attribute_to_lines(judged.lines);
  name_small_objects(judged.lines);
  dismiss_comprehensions(process, judged.lines);
  judged.garbage = find_waiting_garbage(frames, units, holders);
  judged.copied = find_copy_on_write(process);
  return judged;
}

bool has_leak(const GrowthJudgements& judgements) {
  return judgements.garbage || judgements.copied ||
         std::any_of(judgements.lines.begin(), judgements.lines.end(),
                     [](const Judgement& j) { return is_leak(j.growth.what); });
}

}  // namespace tenure::analyze
