#include "analyze/run/activity.h"

#include <algorithm>

#include "analyze/run/rules.h"
#include "base/whole.h"

namespace tenure::analyze {

// What was measured at one moment.
struct Activity::Look {
  Tick tick;
  uint64_t mono_ns, cpu_ns;
  uint64_t raw_ns = 0;  // with pauses for snapshots

  double seconds_since(const Look& before) const {
    return static_cast<double>(mono_ns - before.mono_ns);
  }
  double cpu_since(const Look& before) const { return static_cast<double>(cpu_ns - before.cpu_ns); }
  double births_since(const Look& before) const { return static_cast<double>(tick - before.tick); }
  bool is_busy_since(const Look& before) const {
    return cpu_since(before) >= kLeastBusyShare * seconds_since(before);
  }
};

namespace {

// Where the program's own work ended: what comes behind it is the interpreter's teardown.
struct End {
  Tick tick;
  uint64_t mono_ns, cpu_ns;  // 0: not known, as of a process that was killed
};

End end_of(const ledger::Reader& ledger) {
  const ledger::Header& h = ledger.header();
  End end{h.tick.load(), h.ended_mono_ns.load(), h.ended_cpu_ns.load()};
  for (const ledger::Event& event : ledger.events()) {
    if (event.kind == static_cast<uint32_t>(ledger::EventKind::teardown) && event.tick <= end.tick)
      end = {event.tick, event.mono_ns, event.cpu_ns};
  }
  return end;
}

// Of a native program, what it freed behind its last birth shows when it began to end; one that frees nothing ends at once.
// An interpreter frees much that is not seen.
uint64_t exit_ns(const ledger::Reader& ledger, const End& end) {
  if (!ledger.fact("interpreter").empty()) return kExitCpuNs;
  uint64_t began = end.cpu_ns;
  for (const ledger::Site& site : ledger.sites().subspan(1)) {
    for (const ledger::Release& release : {site.fell, site.halved}) {
      if (release.stack && release.cpu_ns && release.tick >= end.tick)
        began = std::min(began, release.cpu_ns);
    }
  }
  if (began == end.cpu_ns) return kLeastExitCpuNs;
  return std::min(whole(kRestOfExit * static_cast<double>(end.cpu_ns - began)), kExitCpuNs);
}

// Processor time that the program's threads spent on snapshots: not its work. On a busy machine a pause lasts much longer.
uint64_t paused_before(const ledger::Reader& ledger, uint64_t mono_ns) {
  uint64_t paused = 0;
  for (const ledger::Event& event : ledger.events()) {
    bool is_pause = event.kind == static_cast<uint32_t>(ledger::EventKind::pause);
    if (is_pause && event.mono_ns <= mono_ns) paused += event.value;
  }
  return paused;
}

}  // namespace

Activity::Activity(const ledger::Reader& ledger, Tick start) {
  End end = end_of(ledger);
  end_ = end.tick;
  start_ = std::min(start, end_);
  const ledger::Header& h = ledger.header();
  std::vector<Look> looks;
  for (const ledger::TimelineEntry& entry : ledger.timeline())
    looks.push_back({entry.tick, entry.mono_ns, entry.cpu_ns});
  looks.push_back({h.last_look_tick.load(), h.last_look_mono_ns.load(), h.last_look_cpu_ns.load()});
  std::erase_if(looks, [&](const Look& look) {
    return look.tick == 0 || look.cpu_ns == 0 || look.tick > end_;
  });
  // Two threads may have written theirs the other way round.
  std::sort(looks.begin(), looks.end(), [](const Look& a, const Look& b) {
    return a.tick != b.tick ? a.tick < b.tick : a.cpu_ns < b.cpu_ns;
  });
  // Freeing, printing, exit handlers and destructors are no work, nor is the last birth among them.
  if (end.cpu_ns) {
    const uint64_t worked = end.cpu_ns - std::min(end.cpu_ns, exit_ns(ledger, end));
    std::erase_if(looks,
                  [&](const Look& look) { return look.tick == end_ && look.cpu_ns > worked; });
    looks.push_back({end_, end.mono_ns, worked});
  }
  for (Look& look : looks) {
    look.raw_ns = look.cpu_ns;
    look.cpu_ns -= std::min(look.cpu_ns, paused_before(ledger, look.mono_ns));
  }
  for (size_t i = 1; i < looks.size(); ++i) {
    looks[i].cpu_ns = std::max(looks[i].cpu_ns, looks[i - 1].cpu_ns);
    looks[i].mono_ns = std::max(looks[i].mono_ns, looks[i - 1].mono_ns);
    looks[i].raw_ns = std::max(looks[i].raw_ns, looks[i - 1].raw_ns);
  }
  add_work(looks);
}

// In a stretch in which the program mostly waited, its births alone are work: each as much as one elsewhere.
void Activity::add_work(const std::vector<Look>& looks) {
  double busy_births = 0, busy_cpu = 0;
  for (size_t i = 1; i < looks.size(); ++i) {
    if (!looks[i].is_busy_since(looks[i - 1])) continue;
    busy_births += looks[i].births_since(looks[i - 1]);
    busy_cpu += looks[i].cpu_since(looks[i - 1]);
  }
  double of_birth = busy_births > 0 ? busy_cpu / busy_births : 0;
  double work = 0;
  for (size_t i = 0; i < looks.size(); ++i) {
    const Look& before = looks[i ? i - 1 : 0];
    double cpu = looks[i].cpu_since(before), births = looks[i].births_since(before) * of_birth;
    bool is_last = i > 0 && i + 1 == looks.size();
    // The time of children is told when they have ended, however long they were at work.
    if (is_last) cpu = std::min(cpu, looks[i].seconds_since(before));
    // The last births may have come long before the end: they took no longer than others.
    if (is_last && looks[i].tick > before.tick && births < cpu)
      moments_.push_back(
          {looks[i].tick, work + births, static_cast<double>(before.raw_ns) + births});
    if (busy_cpu > 0 && !looks[i].is_busy_since(before)) cpu = std::min(cpu, births);
    work += cpu;
    moments_.push_back({looks[i].tick, work, static_cast<double>(looks[i].raw_ns)});
  }
}

double Activity::at(Tick tick, double Moment::* what) const {
  auto after = std::lower_bound(moments_.begin(), moments_.end(), tick,
                                [](const Moment& m, Tick t) { return m.tick < t; });
  if (after == moments_.end()) return moments_.empty() ? 0 : moments_.back().*what;
  if (after == moments_.begin()) return (*after).*what;
  const Moment& before = *(after - 1);
  double part =
      static_cast<double>(tick - before.tick) / static_cast<double>(after->tick - before.tick);
  return before.*what + part * ((*after).*what - before.*what);
}

double Activity::cpu_share(Tick tick) const {
  double began = at(start_, &Moment::cpu), all = moments_.empty() ? 0 : moments_.back().cpu - began;
  return all > 0 ? (at(std::clamp(tick, start_, end_), &Moment::cpu) - began) / all : 0;
}

double Activity::work_by(uint64_t cpu_ns) const {
  auto cpu = static_cast<double>(cpu_ns);
  auto after = std::lower_bound(moments_.begin(), moments_.end(), cpu,
                                [](const Moment& m, double c) { return m.cpu < c; });
  if (after == moments_.end()) return moments_.empty() ? 0 : moments_.back().work;
  if (after == moments_.begin()) return after->work;
  const Moment& before = *(after - 1);
  return before.work + (cpu - before.cpu) / (after->cpu - before.cpu) * (after->work - before.work);
}

double Activity::work_after(Tick tick, uint64_t cpu_ns) const {
  double all = moments_.empty() ? 0 : moments_.back().work - work_at(start_);
  if (all <= 0) return 0;
  double then = std::max(work_at(std::clamp(tick, start_, end_)), cpu_ns ? work_by(cpu_ns) : 0);
  return (moments_.back().work - then) / all;
}

double Activity::position(Tick tick, uint64_t cpu_ns) const {
  tick = std::clamp(tick, start_, end_);
  bool has_work = !moments_.empty() && moments_.back().work > work_at(start_);
  double work = 1 - work_after(tick, cpu_ns);
  if (end_ == start_) return has_work ? work : 1;
  double births = static_cast<double>(tick - start_) / static_cast<double>(end_ - start_);
  return has_work ? (births + work) / 2 : births;
}

Tick Activity::tick_at(double wanted) const {
  Tick low = start_, high = end_;
  while (low < high) {
    Tick middle = low + (high - low) / 2;
    if (position(middle) < wanted)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

}  // namespace tenure::analyze
