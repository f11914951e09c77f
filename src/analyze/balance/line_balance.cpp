#include "analyze/balance/line_balance.h"

#include "analyze/balance/memory_parts.h"
#include "ledger/live_memory.h"

namespace tenure::analyze {
namespace {

using ledger::BlockKind;

// As the process counts, and small blocks by their estimates.
bool is_counted(const ledger::Site& site) {
  auto kind = static_cast<BlockKind>(site.kind);
  return ledger::counts_as_live(kind) || kind == BlockKind::small_heap;
}

std::map<SiteId, GrowthClass> classes_of(const std::vector<Judgement>& lines) {
  std::map<SiteId, GrowthClass> classes;
  for (const Judgement& line : lines) {
    for (SiteId site : line.growth.members) classes.try_emplace(site, GrowthClass::dismissed);
    for (SiteId site : line.growth.sites) classes[site] = line.growth.what;
  }
  return classes;
}

class Adder {
 public:
  Adder(const Frames& frames, const std::vector<Judgement>& lines)
      : frames_(frames), classes_(classes_of(lines)) {}

  void add(SiteId id, const ledger::Site& site, uint64_t bytes, BalanceMoment& moment) const {
    auto found = classes_.find(id);
    if (frames_.is_of_adapters(site))
      moment.own += bytes;
    else if (found == classes_.end())
      moment.small_lines += bytes;
    else
      moment.came_to[found->second] += bytes;
  }

 private:
  const Frames& frames_;
  std::map<SiteId, GrowthClass> classes_;
};

}  // namespace

LineBalance line_balance(const Frames& frames, const std::vector<Judgement>& lines) {
  const ledger::Reader& ledger = frames.ledger();
  const ledger::Header& h = ledger.header();
  SmallBlocks small = small_blocks(ledger);
  LineBalance balance;
  balance.pid = h.pid;
  balance.at_peak.total = h.peak_bytes.load() + small.at_peak_bytes;
  balance.at_end.total = h.live_bytes.load() + small.live_bytes;
  Adder adder(frames, lines);
  auto sites = ledger.sites();
  for (uint32_t i = 1; i < sites.size(); ++i) {
    if (!is_counted(sites[i])) continue;
    adder.add({i}, sites[i], ledger.at_peak(sites[i]).bytes, balance.at_peak);
    adder.add({i}, sites[i], sites[i].live_bytes, balance.at_end);
  }
  return balance;
}

}  // namespace tenure::analyze
