#include "analyze/page/moments.h"

#include <algorithm>

#include "analyze/page/line_table.h"
#include "analyze/page/rules.h"
#include "analyze/run/activity.h"

namespace tenure::analyze {
namespace {

// A look at the process, by its own count or by the kernel's.
struct Look {
  double seconds;
  Tick tick;
  std::optional<uint64_t> live, anonymous;
  uint64_t cpu_ns = 0;  // 0: not known
};

void sort_by_time(std::vector<Look>& looks) {
  std::stable_sort(looks.begin(), looks.end(), [](const Look& a, const Look& b) {
    return a.tick != b.tick ? a.tick < b.tick : a.seconds < b.seconds;
  });
}

std::vector<Look> own_looks(const ledger::Reader& ledger) {
  const ledger::Header& h = ledger.header();
  const auto seconds = [&](uint64_t mono_ns) {
    const uint64_t began = h.started_mono_ns;
    return mono_ns > began ? static_cast<double>(mono_ns - began) / 1e9 : 0;
  };
  std::vector<Look> looks{{0, 0, uint64_t{0}, {}}};
  for (const ledger::TimelineEntry& entry : ledger.timeline())
    looks.push_back({seconds(entry.mono_ns), entry.tick, entry.live_bytes, {}, entry.cpu_ns});
  if (h.ended_mono_ns.load())
    looks.push_back({seconds(h.ended_mono_ns.load()),
                     h.tick.load(),
                     h.live_bytes.load(),
                     {},
                     h.ended_cpu_ns.load()});
  sort_by_time(looks);
  for (size_t i = 1; i < looks.size(); ++i)  // of several threads, one may be late
    looks[i].seconds = std::max(looks[i].seconds, looks[i - 1].seconds);
  return looks;
}

double seconds_at(const std::vector<Look>& looks, Tick tick) {
  const auto after = std::lower_bound(looks.begin(), looks.end(), tick,
                                      [](const Look& look, Tick t) { return look.tick < t; });
  if (after == looks.end()) return looks.back().seconds;
  if (after == looks.begin() || after->tick == tick) return after->seconds;
  const Look& before = *(after - 1);
  const double part =
      static_cast<double>(tick - before.tick) / static_cast<double>(after->tick - before.tick);
  return before.seconds + part * (after->seconds - before.seconds);
}

std::vector<Look> looks_at(const ProcessRun& process) {
  const std::vector<Look> own = own_looks(process.frames.ledger());
  std::vector<Look> looks = own;
  for (const record::MemoryMoment& moment : process.outcome().memory)
    looks.push_back(
        {seconds_at(own, moment.tick), moment.tick, {}, moment.anonymous, moment.cpu_ns});
  sort_by_time(looks);
  return looks;
}

// What was not looked at lies on the line between the looks before and after. `is_held`: behind the last it stays, else it
// is 0.
std::vector<double> filled(const std::vector<Look>& looks, bool is_held,
                           std::optional<uint64_t> Look::* what) {
  std::vector<double> values(looks.size(), 0);
  std::optional<size_t> before;
  for (size_t i = 0; i < looks.size(); ++i) {
    const std::optional<uint64_t>& value = looks[i].*what;
    if (!value) continue;
    values[i] = static_cast<double>(*value);
    const double start = before ? values[*before] : values[i];
    const double from = before ? looks[*before].seconds : looks[0].seconds;
    for (size_t j = before ? *before + 1 : 0; j < i; ++j) {
      const double part =
          looks[i].seconds > from ? (looks[j].seconds - from) / (looks[i].seconds - from) : 1;
      values[j] = start + part * (values[i] - start);
    }
    before = i;
  }
  for (size_t j = before ? *before + 1 : looks.size(); is_held && j < looks.size(); ++j)
    values[j] = values[*before];
  return values;
}

std::optional<PageMarkKind> mark_of(ledger::EventKind kind) {
  using ledger::EventKind;
  switch (kind) {
    case EventKind::failed_allocation:
      return PageMarkKind::failed_allocation;
    case EventKind::uncaught_error:
      return PageMarkKind::uncaught_error;
    case EventKind::interrupted:
      return PageMarkKind::interrupted;
    case EventKind::teardown:
      return PageMarkKind::teardown;
    case EventKind::joined_late:
    case EventKind::pause:
      break;
  }
  return std::nullopt;
}

void add_marks(const ProcessRun& process, PageProcess& out) {
  const ledger::Reader& ledger = process.frames.ledger();
  const ledger::Header& h = ledger.header();
  if (h.peak_bytes.load())
    out.marks.push_back({PageMarkKind::peak, h.peak_tick.load(), h.peak_bytes.load()});
  for (const ledger::Snapshot& snapshot : snapshots_of(process.record, process.index))
    out.marks.push_back(
        {PageMarkKind::snapshot, snapshot.header().tick, snapshot.header().live_bytes});
  for (const ledger::Event& event : ledger.events()) {
    if (auto kind = mark_of(static_cast<ledger::EventKind>(event.kind)))
      out.marks.push_back({*kind, event.tick, event.value});
  }
}

// Births are spread evenly over their stretch.
double share_born(const Slice& slice, Tick tick) {
  if (tick >= slice.to) return tick >= slice.from ? 1 : 0;
  if (tick < slice.from) return 0;
  return static_cast<double>(tick - slice.from) / static_cast<double>(slice.to - slice.from);
}

// One block that is replaced has one survivor: how much it held in each stretch tells how it grew.
double band_at(const Growth& growth, Tick tick) {
  double bytes = 0;
  for (const std::vector<Slice>& life : growth.lives) {
    double high = 0;
    for (const Slice& slice : life) {
      if (growth.is_one_block && slice.from <= tick) high = slice.high;
      if (!growth.is_one_block) bytes += slice.bytes * share_born(slice, tick);
    }
    bytes += high;
  }
  return bytes;
}

bool has_band(const Growth& growth) {
  return growth.what != GrowthClass::dismissed && growth.bytes > 0 && !growth.lives.empty();
}

}  // namespace

void add_moments(const ProcessRun& process, const std::optional<Unit>& unit, PageProcess& out) {
  const std::vector<Look> looks = looks_at(process);
  const std::vector<double> live = filled(looks, true, &Look::live);
  const std::vector<double> anonymous = filled(looks, false, &Look::anonymous);
  const Activity activity(process.frames.ledger(), process.units.first_tick());
  const double start = seconds_at(looks, activity.start());
  for (size_t i = 0; i < looks.size(); ++i) {
    PageMoment moment;
    moment.tick = looks[i].tick;
    moment.seconds = looks[i].seconds;
    moment.position = moment.seconds < start ? kPageStart * (1 - moment.seconds / start)
                                             : activity.position(moment.tick, looks[i].cpu_ns);
    if (!out.moments.empty())  // the two clocks are read one after the other
      moment.position = std::max(moment.position, out.moments.back().position);
    if (unit) moment.step = unit->count_at(moment.tick);
    moment.live = static_cast<uint64_t>(live[i]);
    moment.anonymous = static_cast<uint64_t>(anonymous[i]);
    out.moments.push_back(moment);
  }
  add_marks(process, out);
}

void add_bands(const std::vector<Judgement>& lines, PageProcess& out) {
  for (const Judgement& judgement : lines) {
    if (out.bands.size() == kPageBands) return;
    if (!has_band(judgement.growth)) continue;
    const std::optional<size_t> line = line_of(judgement.growth.line, out);
    if (!line) continue;
    PageBand band{*line, {}, judgement.growth.sites};
    for (const PageMoment& moment : out.moments)
      band.bytes.push_back(band_at(judgement.growth, moment.tick));
    out.bands.push_back(std::move(band));
  }
}

}  // namespace tenure::analyze
