#include "analyze/page/line_table.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "analyze/evidence/run_axis.h"
#include "analyze/evidence/site_history.h"
#include "analyze/page/rules.h"
#include "analyze/run/allocating_op.h"
#include "ledger/live_memory.h"

namespace tenure::analyze {
namespace {

using ledger::BlockKind;
using Key = std::tuple<std::string, int, std::string>;

bool is_counted(const ledger::Site& site) {
  const auto kind = static_cast<BlockKind>(site.kind);
  return ledger::counts_as_live(kind) || kind == BlockKind::small_heap;
}

// A line of Python or of the user's own code; else the library that asked, whose symbols are not looked up.
Place place_of_site(Frames& frames, const ledger::Site& site) {
  if (const ReadableFrame* frame = frames.frame_with_line(told_stack(frames, site)))
    return place_of(*frame, PlaceRole::made_at);
  Place place;
  place.file = frames.ledger().string(frames.ledger().module(site.asker.value).path);
  return place;
}

struct Collected {
  PageLine line;
  std::vector<const ledger::Site*> sites;
  uint64_t largest = 0;  // what the words of the line are taken from
  const ledger::Site* leading = nullptr;

  void add(const ledger::Reader& ledger, const ledger::Site& site) {
    const ledger::Reader::Held peak = ledger.at_peak(site);
    line.peak_bytes += peak.bytes;
    line.peak_count += peak.count;
    line.live_bytes += site.live_bytes;
    line.live_count += site.live_count;
    line.total_bytes += site.total_bytes;
    line.total_count += site.total_count;
    sites.push_back(&site);
    if (leading && site.max_live_bytes <= largest) return;
    largest = site.max_live_bytes;
    leading = &site;
  }
  uint64_t held() const { return std::max(line.peak_bytes, line.live_bytes); }
};

std::map<SiteId, GrowthClass> classes_of(const std::vector<Judgement>& judged) {
  std::map<SiteId, GrowthClass> classes;
  for (const Judgement& j : judged) {
    for (SiteId site : j.growth.members) classes.try_emplace(site, GrowthClass::dismissed);
    for (SiteId site : j.growth.sites) classes[site] = j.growth.what;
  }
  return classes;
}

std::vector<Collected> collect(Frames& frames, const std::map<SiteId, GrowthClass>& classes) {
  std::map<Key, Collected> lines;
  auto sites = frames.ledger().sites();
  for (uint32_t i = 1; i < sites.size(); ++i) {
    if (sites[i].births == 0 || !is_counted(sites[i])) continue;
    Place place = place_of_site(frames, sites[i]);
    Collected& collected = lines[{place.file, place.line, place.function}];
    collected.line.place = std::move(place);
    collected.add(frames.ledger(), sites[i]);
    auto judged = classes.find({i});
    if (judged == classes.end()) continue;
    std::optional<GrowthClass>& came_to = collected.line.came_to;
    came_to = came_to ? std::min(*came_to, judged->second) : judged->second;
  }
  std::vector<Collected> all;
  for (auto& [key, collected] : lines) all.push_back(std::move(collected));
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.held() > b.held(); });
  return all;
}

void add_words(Frames& frames, Collected& collected) {
  const ledger::Site& site = *collected.leading;
  collected.line.kind = site.is_tensor ? "tensor" : code(static_cast<BlockKind>(site.kind));
  collected.line.op = op_of(frames, site);
  collected.line.role = code(role_of(frames, site));
}

// Stretches of the run that are the same for all lines: one before the program's own work, then equal shares of that.
std::vector<Tick> stretches_of(const RunAxis& axis) {
  std::vector<Tick> edges{0};
  for (size_t i = 0; i <= kPageStretches; ++i) {
    const Tick edge = axis.activity.tick_at(static_cast<double>(i) / kPageStretches);
    if (edge > edges.back()) edges.push_back(edge);
  }
  if (axis.activity.end() > edges.back()) edges.push_back(axis.activity.end());
  return edges;
}

// Births are spread evenly over their slice.
double part_of(const Slice& slice, Tick from, Tick to) {
  const Tick end = std::max(slice.to, slice.from + 1);
  const Tick low = std::max(slice.from, from), high = std::min(end, to);
  return high > low ? static_cast<double>(high - low) / static_cast<double>(end - slice.from) : 0;
}

// As they were at the moment that is judged: at the end everything may have been given back.
void add_births(Collected& collected, const RunAxis& axis, const std::vector<Tick>& edges) {
  std::vector<PageBirths> births;
  for (size_t i = 0; i + 1 < edges.size(); ++i) births.push_back({edges[i], edges[i + 1], 0, 0, 0});
  if (births.empty()) return;
  ++births.back().to;  // the last birth, too
  for (const ledger::Site* site : collected.sites) {
    for (const Slice& slice : history_of(*site, axis).slices) {
      collected.line.judged_bytes += slice.bytes;
      for (PageBirths& stretch : births) {
        const double part = part_of(slice, stretch.from, stretch.to);
        stretch.born += part * slice.born_bytes;
        stretch.alive += part * slice.bytes;
        stretch.count += part * slice.survivors;
      }
    }
  }
  std::erase_if(births, [](const PageBirths& stretch) { return stretch.born <= 0; });
  collected.line.births = std::move(births);
}

void add_to(PageLine& sum, const PageLine& line) {
  sum.peak_bytes += line.peak_bytes;
  sum.peak_count += line.peak_count;
  sum.live_bytes += line.live_bytes;
  sum.live_count += line.live_count;
  sum.total_bytes += line.total_bytes;
  sum.total_count += line.total_count;
}

}  // namespace

void add_lines(const ProcessRun& process, const std::vector<Judgement>& judged, size_t most,
               PageProcess& out) {
  const RunAxis axis = axis_of(process.frames.ledger(), process.units);
  std::vector<Collected> all = collect(process.frames, classes_of(judged));
  const std::vector<Tick> edges = stretches_of(axis);
  for (Collected& collected : all) {
    if (out.lines.size() == most) {
      add_to(out.other_lines, collected.line);
      ++out.left_out;
      continue;
    }
    if (out.lines.size() < kPageLinesWithBirths) {
      add_words(process.frames, collected);
      add_births(collected, axis, edges);
    }
    out.lines.push_back(std::move(collected.line));
  }
}

std::optional<size_t> line_of(const Line& line, const PageProcess& process) {
  for (size_t i = 0; i < process.lines.size(); ++i) {
    const Place& place = process.lines[i].place;
    if (place.line == line.line && place.file == line.file && place.function == line.function)
      return i;
  }
  return std::nullopt;
}

}  // namespace tenure::analyze
