#include "analyze/findings/considered.h"

#include "base/whole.h"

namespace tenure::analyze {
namespace {

ConsideredLine considered(const Judgement& judgement) {
  const Growth& growth = judgement.growth;
  ConsideredLine line;
  line.place = {growth.line.file, growth.line.line, growth.line.function, PlaceRole::made_at, ""};
  line.what = growth.what;
  line.rule = growth.rule;
  if (judgement.held && !judgement.held->holder.text.empty()) line.holder = judgement.held->holder;
  line.bytes = growth.bytes;
  line.count = whole(growth.blocks);
  line.most_bytes = growth.most_bytes;
  line.bytes_per_step = growth.bytes_per_step;
  line.steps = growth.steps;
  line.per = growth.per;
  return line;
}

}  // namespace

void add_considered(const std::vector<Judgement>& judgements, std::vector<ConsideredLine>& lines) {
  for (const Judgement& judgement : judgements) lines.push_back(considered(judgement));
}

}  // namespace tenure::analyze
