#include "analyze/page/live_blocks.h"

#include <algorithm>
#include <map>

#include "analyze/evidence/site_history.h"
#include "analyze/heap/heap_graph.h"
#include "analyze/page/rules.h"

namespace tenure::analyze {
namespace {

// Blocks of NumPy and torch begin behind a head of the allocator's: an object may lead to a part of one.
std::map<uint64_t, uint32_t> buffers_by_address(const ledger::Snapshot& snapshot) {
  std::map<uint64_t, uint32_t> by_address;
  auto buffers = snapshot.buffers();
  for (uint32_t i = 0; i < buffers.size(); ++i) by_address[buffers[i].address] = i;
  return by_address;
}

void add_age(Tick now, const Unit& unit, PageBlock& block) {
  block.born_step = unit.count_at(block.born);
  block.age_steps = std::max(0.0, unit.count_at(now) - block.born_step);
}

void add_holder(const HeapGraph& heap, uint32_t buffer, uint32_t snapshot,
                const std::string& main_file, PageBlock& block) {
  BlockPath path = path_to_block(heap, buffer, main_file);
  block.block = text_of({snapshot, buffer});
  block.holder = std::move(path.holder);
  block.form = std::move(path.form);
  block.path = std::move(path.steps);
}

}  // namespace

std::vector<PageBlock> largest_blocks(const ProcessRun& process, const std::optional<Unit>& unit) {
  std::vector<PageBlock> blocks;
  const std::vector<ledger::Snapshot>& snapshots = snapshots_of(process.record, process.index);
  if (snapshots.empty()) return blocks;
  const ledger::Snapshot& snapshot = snapshots.back();
  auto sites = process.frames.ledger().sites();
  std::vector<ledger::SnapshotBlock> largest(snapshot.blocks().begin(), snapshot.blocks().end());
  std::erase_if(largest, [&](const auto& block) { return block.site.value >= sites.size(); });
  std::stable_sort(largest.begin(), largest.end(),
                   [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
  if (largest.size() > kPageBlocks) largest.resize(kPageBlocks);
  const HeapGraph heap(snapshot);
  const auto buffers = buffers_by_address(snapshot);
  const std::string main_file = main_file_of(process.record, process.index);
  size_t paths = 0;
  for (const ledger::SnapshotBlock& found : largest) {
    PageBlock block;
    const ledger::Site& site = sites[found.site.value];
    if (const ReadableFrame* frame = process.frames.frame_with_line(site.stack))
      block.place = place_of(*frame, PlaceRole::made_at);
    block.op = process.frames.ledger().string(found.op);
    block.bytes = found.bytes;
    block.born = born_at(slices_of(site), found.ordinal);
    if (unit) add_age(snapshot.header().tick, *unit, block);
    const auto buffer = buffers.find(found.address);
    if (buffer != buffers.end() && paths++ < kPagePaths)
      add_holder(heap, buffer->second, static_cast<uint32_t>(snapshots.size()), main_file, block);
    blocks.push_back(std::move(block));
  }
  return blocks;
}

}  // namespace tenure::analyze
