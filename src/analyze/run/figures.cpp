#include "analyze/run/figures.h"

#include <algorithm>
#include <cmath>

#include "analyze/run/allocating_op.h"
#include "analyze/run/process_run.h"
#include "analyze/run/units.h"

namespace tenure::analyze {
namespace {

uint64_t bytes_at_peak(const Frames& frames, const ledger::Site& site) {
  return frames.ledger().at_peak(site).bytes;
}

SiteFigures figures_of(Frames& frames, const ledger::Site& site) {
  SiteFigures f;
  if (const ReadableFrame* frame = frames.user_frame(told_stack(frames, site)))
    f.place = place_of(*frame, PlaceRole::made_at);
  f.kind = site.is_tensor ? "tensor" : code(static_cast<BlockKind>(site.kind));
  f.op = op_of(frames, site);
  f.role = code(role_of(frames, site));
  f.at_peak_bytes = bytes_at_peak(frames, site);
  f.at_peak_count = frames.ledger().at_peak(site).count;
  f.live_bytes = site.live_bytes;
  f.live_count = site.live_count;
  f.total_bytes = site.total_bytes;
  f.total_count = site.total_count;
  f.most_bytes = site.max_live_bytes;
  f.live_error = std::sqrt(std::max(0.0, site.live_variance));
  f.total_error = std::sqrt(std::max(0.0, site.total_variance));
  return f;
}

}  // namespace

std::vector<SiteFigures> biggest_sites(const record::Record& record, size_t most) {
  std::vector<SiteFigures> figures;
  std::optional<int> main = main_process(record);
  if (!main) return figures;
  Frames frames(record.ledgers.at(*main), *record.symbols);
  std::vector<const ledger::Site*> sites;
  for (const ledger::Site& site : frames.ledger().sites()) {
    if (site.births > 0) sites.push_back(&site);
  }
  std::stable_sort(sites.begin(), sites.end(), [&](const auto* a, const auto* b) {
    return bytes_at_peak(frames, *a) > bytes_at_peak(frames, *b);
  });
  if (most && sites.size() > most) sites.resize(most);  // before names are looked up: that is slow
  for (const ledger::Site* site : sites) figures.push_back(figures_of(frames, *site));
  return figures;
}

std::set<std::string> all_ops(const record::Record& record) {
  std::set<std::string> ops;
  std::optional<int> main = main_process(record);
  if (!main) return ops;
  Frames frames(record.ledgers.at(*main), *record.symbols);
  for (const ledger::Site& site : frames.ledger().sites()) ops.insert(op_of(frames, site));
  ops.erase("");
  return ops;
}

std::map<std::string, uint64_t> roles_at_peak(Frames& frames) {
  std::map<std::string, uint64_t> bytes;
  for (const ledger::Site& site : frames.ledger().sites()) {
    uint64_t held = bytes_at_peak(frames, site);
    ModelRole role = held > 0 ? role_of(frames, site) : ModelRole::unknown;
    if (role == ModelRole::unknown) continue;
    bool is_plural = role == ModelRole::optimizer_state;
    bytes[code(role) + std::string(is_plural ? "" : "s")] += held;
  }
  return bytes;
}

std::vector<SeenUnit> seen_units(const record::Record& record) {
  std::vector<SeenUnit> seen;
  std::optional<int> main = main_process(record);
  if (!main) return seen;
  Frames frames(record.ledgers.at(*main), *record.symbols);
  Units units(frames);
  for (const Unit& unit : units.all()) {
    if (!unit.per.empty())
      seen.push_back({unit.per, unit.file, unit.line, unit.steps, unit.is_users});
  }
  return seen;
}

std::vector<BlockFigures> live_blocks(const record::Record& record) {
  std::vector<BlockFigures> blocks;
  std::optional<int> main = main_process(record);
  auto snapshots = main ? record.snapshots.find(*main) : record.snapshots.end();
  if (snapshots == record.snapshots.end() || snapshots->second.empty()) return blocks;
  Frames frames(record.ledgers.at(*main), *record.symbols);
  auto sites = frames.ledger().sites();
  for (const ledger::SnapshotBlock& block : snapshots->second.back().blocks()) {
    if (block.site.value >= sites.size()) continue;
    BlockFigures f{{}, block.address, block.bytes, std::string(frames.ledger().string(block.op))};
    if (const ReadableFrame* frame = frames.user_frame(sites[block.site.value].stack))
      f.place = place_of(*frame, PlaceRole::made_at);
    blocks.push_back(std::move(f));
  }
  std::sort(blocks.begin(), blocks.end(),
            [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
  return blocks;
}

}  // namespace tenure::analyze
