#include "analyze/findings/merge.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "analyze/findings/growth_findings.h"
#include "analyze/findings/rules.h"
#include "analyze/findings/severity.h"
#include "analyze/growth/rules.h"
#include "base/sentence_writer.h"

namespace tenure::analyze {
namespace {

// ---- growths of one process

// What hangs from a cache that an adapter saw fill belongs to it, whichever line made it: `tape_cache` of script_ops. What
// only native code holds belongs to the tapes that pile up: they keep what was made outside of them and recorded, too.
bool is_held_by(const Judgement& growth, const GrowthCause& cause) {
  if (!is_held(growth)) return false;
  if (cause.kind == Kind::retained_autograd)
    return growth.held->retention_kind == RetentionKind::native;
  if (cause.kind != Kind::cache_growth) return false;
  const std::vector<HolderStep>& path = growth.held->holder.path;
  return !cause.variable.empty() && std::any_of(path.begin(), path.end(), [&](const HolderStep& s) {
    return s.name == cause.variable;
  });
}

// Objects that pile up own native memory too: what nobody is seen to hold, grows with them and is little beside them.
bool is_owned_by(const Judgement& native, const Judgement& objects) {
  bool is_nameless = !native.held || native.held->retention_kind == RetentionKind::native;
  return is_nameless && is_held(objects) && objects.held->is_of_objects &&
         native.growth.what == objects.growth.what && native.growth.per == objects.growth.per &&
         native.growth.bytes * kLittlePart <= objects.growth.bytes;
}

bool have_one_holder(const Judgement& one, const Judgement& other) {
  return one.held && other.held && one.held->is_most && other.held->is_most &&
         one.held->key == other.held->key;
}

// Blocks that die and survive together have one cause: the same function, and the same part of their births alive.
bool live_and_die_together(const Growth& a, const Growth& b) {
  bool is_same_function = a.line.file == b.line.file && a.line.function == b.line.function;
  if (!is_same_function || a.per != b.per || a.what != b.what) return false;
  auto count_a = static_cast<double>(a.count), count_b = static_cast<double>(b.count);
  bool is_part = count_a < kPartlyAlive * std::max(1.0, a.births) &&
                 count_b < kPartlyAlive * std::max(1.0, b.births);
  return is_part && std::abs(count_a - count_b) <= kSameCount * count_a + 1;
}

bool share_a_cause(const Judgement& one, const Judgement& other) {
  if (one.growth.cause && other.growth.cause) return false;
  if (have_one_holder(one, other)) return true;
  if (one.growth.cause) return is_held_by(other, *one.growth.cause);
  if (other.growth.cause) return is_held_by(one, *other.growth.cause);
  if (is_owned_by(other, one)) return true;
  if (is_held(one) && is_held(other)) return false;
  return live_and_die_together(one.growth, other.growth);
}

// What is known for sure of one of them is known of both.
void join(Judgement& into, Judgement other) {
  if (other.growth.what < into.growth.what) std::swap(into, other);
  Growth &a = into.growth, &b = other.growth;
  a.bytes += b.bytes;
  a.count += b.count;
  if (a.per == b.per) a.bytes_per_step += b.bytes_per_step;
  a.sites.insert(a.sites.end(), b.sites.begin(), b.sites.end());
  a.lives.insert(a.lives.end(), b.lives.begin(), b.lives.end());
  if (!into.held) into.held = std::move(other.held);
  if (!a.cause) a.cause = std::move(b.cause);
}

// ---- findings of several processes

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

// Of two the surer one, or the one that knows who keeps it, is told; a step is one of its own process.
void join(Finding& into, Finding other) {
  bool is_surer = other.severity < into.severity;
  bool knows_more = other.severity == into.severity && !into.holder && other.holder;
  if (is_surer || knows_more) std::swap(into, other);
  into.bytes += other.bytes;
  into.count += other.count;
  if (into.bytes_per_step) into.title = growth_title(*into.bytes_per_step, into.bytes);
}

}  // namespace

std::vector<Judgement> merge_growths(std::vector<Judgement> judgements) {
  std::vector<Judgement> merged;
  for (Judgement& judgement : judgements) {
    if (judgement.growth.what == GrowthClass::dismissed) continue;
    auto same = std::find_if(merged.begin(), merged.end(),
                             [&](const Judgement& m) { return share_a_cause(m, judgement); });
    if (same == merged.end())
      merged.push_back(std::move(judgement));
    else
      join(*same, std::move(judgement));
  }
  return merged;
}

std::vector<Judgement> to_be_told(std::vector<Judgement> judgements, uint64_t peak_bytes) {
  std::erase_if(judgements, [&](const Judgement& j) {
    if (severity_of(j.growth.what) != Severity::note) return false;
    double least = j.growth.what == GrowthClass::bounded ? kLeastOfBounded : kLeastOfNote;
    return static_cast<double>(j.growth.bytes) < least * static_cast<double>(peak_bytes);
  });
  return judgements;
}

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
    std::string& why = findings_[i].why;
    if (processes_[i] > 1)
      why = sentence("growth.in_processes", {{"why", why}, {"count", processes_[i]}});
  }
  return std::move(findings_);
}

}  // namespace tenure::analyze
