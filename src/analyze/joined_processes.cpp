#include "analyze/joined_processes.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace tenure::analyze {
namespace {

bool is_same_place(const Finding& a, const Finding& b) {
  if (a.where.empty() || b.where.empty()) return false;
  const Place &x = a.where[0], &y = b.where[0];
  return x.file == y.file && x.line == y.line && x.role == y.role;
}

bool is_growth(const Finding& f) {
  return f.severity == Severity::leak || f.severity == Severity::warning;
}

bool is_same_cause(const Finding& a, const Finding& b) {
  bool is_same_error = a.error.has_value() == b.error.has_value() &&
                       (!a.error || a.error->message == b.error->message);
  bool is_same_weight = a.severity == b.severity || (is_growth(a) && is_growth(b));
  return a.kind == b.kind && is_same_weight && is_same_error && is_same_place(a, b);
}

// Of two the surer one, or the one that knows who keeps it, tells the story; a step is one of its own process.
void join(Finding& into, Finding other) {
  bool is_surer = other.severity < into.severity;
  bool knows_more = other.severity == into.severity && !into.holder && other.holder;
  if (is_surer || knows_more) std::swap(into, other);
  into.bytes += other.bytes;
  into.count += other.count;
  if (into.bytes_per_step) into.title = growth_title(*into.bytes_per_step, into.bytes);
}

}  // namespace

void JoinedProcesses::add(std::vector<Finding> of_process) {
  auto known = static_cast<std::ptrdiff_t>(findings_.size());
  for (Finding& finding : of_process) {
    auto end = findings_.begin() + known;
    auto same = std::find_if(findings_.begin(), end,
                             [&](const Finding& f) { return is_same_cause(f, finding); });
    if (same == end) {
      findings_.push_back(std::move(finding));
      processes_.push_back(1);
      continue;
    }
    ++processes_[static_cast<size_t>(same - findings_.begin())];
    join(*same, std::move(finding));
  }
}

std::vector<Finding> JoinedProcesses::take() {
  for (size_t i = 0; i < findings_.size(); ++i) {
    if (processes_[i] > 1)
      findings_[i].why += fmt::format("; the same in {} processes", processes_[i]);
  }
  return std::move(findings_);
}

}  // namespace tenure::analyze
