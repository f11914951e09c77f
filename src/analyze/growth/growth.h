// analyze/growth/growth.h: the stage that judges growth: lines that pile memory up, garbage that waits, pages that are copied.
// World: offline. Pure: what the stages before found out in, judgements out. Every leak is decided here.
#pragma once
#include <optional>
#include <vector>

#include "analyze/evidence/evidence.h"
#include "analyze/growth/copy_on_write.h"
#include "analyze/growth/judgement.h"
#include "analyze/growth/waiting_garbage.h"

namespace tenure::analyze {

struct GrowthJudgements {
  std::vector<Judgement> lines;  // every line that was looked at, largest first
  std::optional<GarbagePile> garbage;
  std::optional<CopiedMemory> copied;
};

GrowthJudgements judge_growth(const ProcessRun& process, const Evidence& evidence, Holders& holders,
                              const Causes& causes);

bool has_leak(const GrowthJudgements& judgements);

}  // namespace tenure::analyze
