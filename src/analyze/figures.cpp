#include "analyze/figures.h"

#include <algorithm>
#include <cmath>

#include "analyze/describe.h"
#include "analyze/frames.h"
#include "analyze/makers.h"
#include "analyze/units.h"

namespace tenure::analyze {
namespace {

const char* word(uint8_t kind) {
  static const char* const kWords[] = {"heap",    "small heap", "mapping", "file", "shared",
                                       "segment", "objects",    "pool",    "code"};
  return kind < std::size(kWords) ? kWords[kind] : "?";
}

// Sites save what they hold at the first change after a peak.
bool has_saved_peak(const Frames& frames, const ledger::Site& site) {
  return site.at_peak_epoch == frames.ledger().header().peak_epoch.load();
}

uint64_t bytes_at_peak(const Frames& frames, const ledger::Site& site) {
  return has_saved_peak(frames, site) ? site.at_peak_bytes : site.live_bytes;
}

SiteFigures figures_of(Frames& frames, const ledger::Site& site) {
  SiteFigures f;
  if (const ReadableFrame* frame = frames.user_frame(told_stack(frames, site)))
    f.place = place_of(*frame, "made at");
  f.kind = site.is_tensor ? "tensor" : word(site.kind);
  f.op = op_of(frames, site);
  f.role = role_of(frames, site);
  f.at_peak_bytes = bytes_at_peak(frames, site);
  f.at_peak_count = has_saved_peak(frames, site) ? site.at_peak_count : site.live_count;
  f.live_bytes = site.live_bytes;
  f.live_count = site.live_count;
  f.total_bytes = site.total_bytes;
  f.total_count = site.total_count;
  f.most_bytes = site.max_live_bytes;
  f.live_error = std::sqrt(std::max(0.0, site.live_variance));
  f.total_error = std::sqrt(std::max(0.0, site.total_variance));
  return f;
}

constexpr uint64_t kSmallestPeak = 1 << 20;  // of a process that does something itself

uint64_t peak_of(const Record& record, int index) {
  return record.ledgers.at(index).header().peak_bytes.load();
}

}  // namespace

std::optional<int> main_process(const Record& record) {
  std::optional<int> found;
  for (const auto& [index, ledger] : record.ledgers) {
    const ProcessOutcome& process = record.outcome.processes[static_cast<size_t>(index)];
    if (process.pid == record.outcome.main_pid || !found) found = index;
  }
  // `timeout 100 python train.py`: the first process only waits for the one that works.
  if (!found || peak_of(record, *found) >= kSmallestPeak) return found;
  for (const auto& [index, ledger] : record.ledgers) {
    if (peak_of(record, index) > peak_of(record, *found)) found = index;
  }
  return found;
}

std::vector<SiteFigures> biggest_sites(const Record& record, size_t most) {
  std::vector<SiteFigures> figures;
  std::optional<int> main = main_process(record);
  if (!main) return figures;
  Frames frames(record.ledgers.at(*main));
  for (const ledger::Site& site : frames.ledger().sites()) {
    if (site.births > 0) figures.push_back(figures_of(frames, site));
  }
  std::sort(figures.begin(), figures.end(),
            [](const auto& a, const auto& b) { return a.at_peak_bytes > b.at_peak_bytes; });
  if (most && figures.size() > most) figures.resize(most);
  return figures;
}

std::map<std::string, uint64_t> roles_at_peak(Frames& frames) {
  std::map<std::string, uint64_t> bytes;
  for (const ledger::Site& site : frames.ledger().sites()) {
    uint64_t held = bytes_at_peak(frames, site);
    std::string role = held > 0 ? role_of(frames, site) : "";
    if (!role.empty()) bytes[role.ends_with("state") ? role : role + "s"] += held;
  }
  return bytes;
}

std::vector<SeenUnit> seen_units(const Record& record) {
  std::vector<SeenUnit> seen;
  std::optional<int> main = main_process(record);
  if (!main) return seen;
  Frames frames(record.ledgers.at(*main));
  Units units(frames);
  for (const Unit& unit : units.all()) {
    if (!unit.per.empty())
      seen.push_back({unit.per, unit.file, unit.line, unit.steps, unit.is_users});
  }
  return seen;
}

std::vector<BlockFigures> live_blocks(const Record& record) {
  std::vector<BlockFigures> blocks;
  std::optional<int> main = main_process(record);
  auto snapshots = main ? record.snapshots.find(*main) : record.snapshots.end();
  if (snapshots == record.snapshots.end() || snapshots->second.empty()) return blocks;
  Frames frames(record.ledgers.at(*main));
  auto sites = frames.ledger().sites();
  for (const ledger::SnapshotBlock& block : snapshots->second.back().blocks()) {
    if (block.site.value >= sites.size()) continue;
    BlockFigures f{{}, block.address, block.bytes, std::string(frames.ledger().string(block.op))};
    if (const ReadableFrame* frame = frames.user_frame(sites[block.site.value].stack))
      f.place = place_of(*frame, "made at");
    blocks.push_back(std::move(f));
  }
  std::sort(blocks.begin(), blocks.end(),
            [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
  return blocks;
}

}  // namespace tenure::analyze
