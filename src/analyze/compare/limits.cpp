#include "analyze/compare/limits.h"

#include <algorithm>
#include <utility>

#include "analyze/compare/growth_figure.h"

namespace tenure::analyze {
namespace {

std::vector<LineKey> keys_of(const std::vector<Finding>& findings) {
  std::vector<LineKey> keys;
  for (const Finding& finding : findings) keys.push_back(key_of(finding));
  return keys;
}

std::vector<LineKey> keys_of(const Baseline& baseline) {
  std::vector<LineKey> keys;
  for (const BaselineEntry& entry : baseline.entries) keys.push_back(entry.line);
  return keys;
}

class Check {
 public:
  Check(const Findings& findings, const Limits& limits, const Baseline& baseline)
      : findings_(findings.findings), baseline_(baseline) {
    result_.limits = limits.in_force();
    const auto matches = match_lines(keys_of(baseline), keys_of(findings_));
    entries_.resize(findings_.size());
    for (size_t entry = 0; entry < matches.size(); ++entry) {
      if (!matches[entry]) continue;
      entries_[*matches[entry]] = &baseline.entries[entry];
      result_.met.push_back(entry);
    }
  }

  CheckResult take(const Findings& run) {
    for (size_t i = 0; i < findings_.size(); ++i) add_finding(i);
    add_peaks(run);
    const bool is_dead = run.verdict == Verdict::out_of_memory;
    const bool is_told = std::any_of(result_.excesses.begin(), result_.excesses.end(),
                                     [](const Excess& e) { return e.limit == Limit::death; });
    if (is_dead && !is_told) result_.excesses.push_back({.limit = Limit::death});
    const bool is_unsure =
        run.verdict == Verdict::unknown || run.losses.contains(code(OtherLoss::unreadable));
    if (!result_.excesses.empty())
      result_.state = CheckState::beyond;
    else if (is_unsure)
      result_.state = CheckState::unknown;
    return std::move(result_);
  }

 private:
  void add_finding(size_t index) {
    const Finding& finding = findings_[index];
    if (finding.kind == Kind::out_of_memory && finding.severity == Severity::error)
      result_.excesses.push_back({.limit = Limit::death, .finding = index});
    else if (is_lifetime_error(finding))
      add_error(index);
    else if (is_growth(finding))
      add_growth(index);
  }

  void add_error(size_t index) {
    if (!result_.limits.forbids_lifetime_errors)
      result_.not_asked.push_back(index);
    else if (entries_[index])
      result_.accepted.push_back(index);
    else
      result_.excesses.push_back({.limit = Limit::lifetime_errors, .finding = index});
  }

  void add_growth(size_t index) {
    const Finding& finding = findings_[index];
    const Limits& limits = result_.limits;
    const BaselineEntry* entry = entries_[index];
    const bool is_leak = finding.severity == Severity::leak;
    if (is_leak && limits.growth)
      compare(index, Limit::growth, growth_of(finding), *limits.growth,
              entry ? entry->bytes_per_step : 0);
    if (limits.accumulated)
      compare(index, Limit::accumulated, static_cast<double>(finding.bytes), *limits.accumulated,
              entry ? static_cast<double>(entry->bytes) : 0);
    if (is_leak && !limits.growth && !limits.accumulated) result_.not_asked.push_back(index);
  }

  void compare(size_t index, Limit limit, double bytes, uint64_t most, double in_baseline) {
    const auto allowed = static_cast<double>(most);
    const BaselineEntry* entry = entries_[index];
    if (bytes <= allowed) return;
    const double accepted = in_baseline * (1 + baseline_.tolerance);
    if (entry && bytes <= accepted)
      result_.accepted.push_back(index);
    else
      result_.excesses.push_back({.limit = limit,
                                  .finding = index,
                                  .bytes = bytes,
                                  .most = std::max(allowed, entry ? accepted : 0),
                                  .has_outgrown = entry != nullptr});
  }

  void add_peaks(const Findings& run) {
    if (!result_.limits.peak) return;
    const auto most = static_cast<double>(*result_.limits.peak);
    for (const LineBalance& process : run.balance) {
      const auto peak = static_cast<double>(process.at_peak.total);
      if (peak > most)
        result_.excesses.push_back(
            {.limit = Limit::peak, .pid = process.pid, .bytes = peak, .most = most});
    }
  }

  const std::vector<Finding>& findings_;
  const Baseline& baseline_;
  std::vector<const BaselineEntry*> entries_;  // by finding; nullptr: none
  CheckResult result_;
};

}  // namespace

Limits Limits::in_force() const {
  Limits limits = *this;
  if (are_default()) {
    limits.growth = 0;
    limits.forbids_lifetime_errors = true;
  }
  return limits;
}

CheckResult check(const Findings& findings, const Limits& limits, const Baseline& baseline) {
  return Check(findings, limits, baseline).take(findings);
}

}  // namespace tenure::analyze
