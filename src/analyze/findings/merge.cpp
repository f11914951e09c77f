#include "analyze/findings/merge.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "analyze/findings/growth_findings.h"
#include "analyze/findings/rules.h"
#include "analyze/findings/severity.h"
#include "analyze/growth/rules.h"

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

// What hangs from several containers at once has to go from each of them: what only one of these holds goes with it.
bool is_in_container_of(const Explanation& part, const Explanation& held_at_once) {
  const std::vector<std::string>& keys = held_at_once.at_once;
  return std::find(keys.begin(), keys.end(), part.key) != keys.end();
}

bool have_one_holder(const Judgement& one, const Judgement& other) {
  return one.held && other.held && one.held->is_most && other.held->is_most &&
         (one.held->key == other.held->key || is_in_container_of(*one.held, *other.held) ||
          is_in_container_of(*other.held, *one.held));
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
  if (one.growth.is_ignored != other.growth.is_ignored) return false;
  if (one.growth.cause && other.growth.cause) return false;
  if (have_one_holder(one, other)) return true;
  if (one.growth.cause) return is_held_by(other, *one.growth.cause);
  if (other.growth.cause) return is_held_by(one, *other.growth.cause);
  if (is_owned_by(other, one)) return true;
  if (is_held(one) && is_held(other)) return false;
  return live_and_die_together(one.growth, other.growth);
}

// What the other adds in a step of this one: a figure has one unit.
double in_steps_of(const Growth& growth, const Growth& other) {
  if (growth.bytes == 0) return 0;
  return static_cast<double>(other.bytes) * growth.bytes_per_step /
         static_cast<double>(growth.bytes);
}

// What is known for sure of one of them is known of both.
void join(Judgement& into, Judgement other) {
  if (other.growth.what < into.growth.what) std::swap(into, other);
  Growth &a = into.growth, &b = other.growth;
  if (a.per != b.per) a.bytes_per_step += in_steps_of(a, b);
  a.bytes += b.bytes;
  a.count += b.count;
  a.blocks += b.blocks;
  a.is_estimated |= b.is_estimated;
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

bool is_nobodys(const Finding& f) { return f.kind == Kind::native_growth; }

// The kind follows from who holds it, which may have been seen in one of the processes alone.
bool is_same_kind(const Finding& a, const Finding& b) {
  if (a.kind == b.kind) return true;
  return is_growth(a) && is_growth(b) && (is_nobodys(a) || is_nobodys(b));
}

bool is_same_cause(const Finding& a, const Finding& b) {
  bool is_same_error = a.error.has_value() == b.error.has_value() &&
                       (!a.error || a.error->message == b.error->message);
  bool is_same_weight = a.severity == b.severity || (is_growth(a) && is_growth(b));
  return is_same_kind(a, b) && is_same_weight && is_same_error && is_same_place(a, b) &&
         a.accepted_by == b.accepted_by;
}

// The steps of all processes, and what one of them adds in the mean. What is told of one process alone stays as it is.
void add_steps(Finding& into, const Finding& other) {
  if (into.per != other.per || !into.bytes_per_step || !other.bytes_per_step) return;
  if (!into.steps || !other.steps) return;
  double all = static_cast<double>(*into.steps) * *into.bytes_per_step +
               static_cast<double>(*other.steps) * *other.bytes_per_step;
  into.steps = *into.steps + *other.steps;
  into.are_steps_estimated |= other.are_steps_estimated;
  into.bytes_per_step = all / static_cast<double>(*into.steps);
}

// Of two the surer one, or the one that knows who keeps it, is told; a step is one of its own process.
void join(Finding& into, Finding other) {
  bool is_surer = other.severity < into.severity;
  bool knows_more =
      is_nobodys(into) != is_nobodys(other) ? is_nobodys(into) : !into.holder && other.holder;
  if (is_surer || (other.severity == into.severity && knows_more)) std::swap(into, other);
  add_steps(into, other);
  into.is_estimated |= other.is_estimated;
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

void JoinedProcesses::add(std::vector<Finding> of_process, const Lifetime& lifetime, int pid) {
  auto known = static_cast<std::ptrdiff_t>(findings_.size());
  for (Finding& finding : of_process) {
    auto end = findings_.begin() + known;
    auto same = std::find_if(findings_.begin(), end,
                             [&](const Finding& f) { return is_same_cause(f, finding); });
    Part part{lifetime, finding.bytes, finding.count, pid};
    if (same == end) {
      findings_.push_back(std::move(finding));
      parts_.push_back({part});
      continue;
    }
    parts_[static_cast<size_t>(same - findings_.begin())].push_back(part);
    join(*same, std::move(finding));
  }
}

// The most is there when one of them begins, or has just begun.
JoinedProcesses::Part JoinedProcesses::most_at_once(const std::vector<Part>& parts) {
  Part most{};
  for (const Part& at : parts) {
    Part sum{at.lifetime, 0, 0, 0};
    for (const Part& other : parts) {
      bool is_there = other.lifetime.began_ns <= at.lifetime.began_ns &&
                      at.lifetime.began_ns <= other.lifetime.ended_ns;
      sum.bytes += is_there ? other.bytes : 0;
      sum.count += is_there ? other.count : 0;
    }
    if (sum.bytes >= most.bytes) most = sum;
  }
  return most;
}

std::vector<Finding> JoinedProcesses::take() {
  for (size_t i = 0; i < findings_.size(); ++i) {
    Finding& finding = findings_[i];
    finding.pids.clear();
    for (const Part& part : parts_[i]) finding.pids.push_back(part.pid);
    if (parts_[i].size() < 2) continue;
    Part most = most_at_once(parts_[i]);
    finding.bytes = most.bytes;
    finding.count = most.count;
    if (finding.bytes_per_step)
      finding.title = growth_title(*finding.bytes_per_step, finding.bytes);
  }
  return std::move(findings_);
}

}  // namespace tenure::analyze
