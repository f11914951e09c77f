#include "analyze/growth/held_growth.h"

#include "analyze/growth/rules.h"

namespace tenure::analyze {
namespace {

std::optional<Explanation> holder_of(const Growth& growth, Holders& holders) {
  std::optional<Explanation> held;
  if (growth.cause) held = holders.explain_objects_of(growth.cause->number, growth);
  if (growth.rule == Rule::small_objects) held = holders.explain_small_objects(growth);
  return held;
}

// Garbage that the collector will find is a leak only where much of it waits.
bool is_little_garbage(const Judgement& j, uint64_t peak_bytes) {
  if (!is_held(j) || j.held->retention_kind != RetentionKind::cycle) return false;
  return j.growth.bytes < kLeastGarbage || j.growth.bytes * kLeastGarbagePart < peak_bytes;
}

// Nobody loads or caches frames, gradient graphs or garbage: what they keep is kept by mistake, though less was added to it
// lately, or nothing.
bool is_never_loaded(const Judgement& j) {
  if (!is_held(j)) return false;
  RetentionKind kind = j.held->retention_kind;
  return kind == RetentionKind::frame || kind == RetentionKind::gradients ||
         kind == RetentionKind::cycle;
}

// Libraries keep what they compiled, so many pieces and no more: it fills as long as new shapes come.
bool is_cache_of_code(const Judgement& j) { return j.growth.is_of_compiler && !is_held(j); }

class HolderJudge {
 public:
  HolderJudge(Holders& holders, uint64_t peak_bytes) : holders_(holders), peak_(peak_bytes) {}

  Judgement judge(Growth growth) {
    if (growth.what == GrowthClass::dismissed) return {std::move(growth), std::nullopt};
    Judgement j{std::move(growth), std::nullopt};
    j.held = holder_of(j.growth, holders_);
    if (j.held && j.growth.rule == Rule::small_objects) decide(j, GrowthClass::leak);
    if (!j.held) j.held = holders_.explain(j.growth);
    if (j.growth.what == GrowthClass::accumulates) return j;
    if (j.held && j.held->bound.limit) {
      decide(j, GrowthClass::bounded, Rule::bounded_holder);
      return j;
    }
    bool is_quiet = j.growth.what == GrowthClass::stayed || j.growth.what == GrowthClass::filling;
    if (is_quiet && is_never_loaded(j)) decide(j, GrowthClass::leak);
    if (j.growth.cause)
      judge_cause(j);
    else if (!j.held || j.held->retention_kind == RetentionKind::native)
      ask_garbage(j);
    if (is_leak(j.growth.what) && is_little_garbage(j, peak_))
      decide(j, GrowthClass::waiting, Rule::garbage);
    if (j.growth.what != GrowthClass::too_short && is_cache_of_code(j))
      decide(j, GrowthClass::compiled_code, Rule::generated_code);
    return j;
  }

 private:
  static void decide(Judgement& j, GrowthClass what, Rule rule = Rule::survivors) {
    j.growth.what = what;
    j.growth.rule = rule;
  }

  // The blocks that went were of the making; what the adapter saw pile up is all still there.
  void judge_cause(Judgement& j) {
    const GrowthCause& cause = *j.growth.cause;
    if (j.growth.rule == Rule::released_before &&
        holders_.has_all_objects_of(cause.number, cause.objects))
      decide(j, GrowthClass::leak);
  }

  void ask_garbage(Judgement& j) {
    if (auto owned = holders_.explain_by_garbage(j.growth)) j.held = std::move(owned);
  }

  Holders& holders_;
  uint64_t peak_;
};

}  // namespace

std::vector<Judgement> judge_by_holders(std::vector<Growth> growths, Holders& holders,
                                        uint64_t peak_bytes) {
  HolderJudge judge(holders, peak_bytes);
  std::vector<Judgement> judgements;
  for (Growth& growth : growths) judgements.push_back(judge.judge(std::move(growth)));
  return judgements;
}

}  // namespace tenure::analyze
