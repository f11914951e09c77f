#include "cli/site_watch.h"

#include <algorithm>
#include <functional>
#include <map>

#include "ledger/image.h"
#include "ledger/live_memory.h"
#include "record/run_outcome.h"

namespace tenure::cli {
namespace {

constexpr size_t kMostSites = 128;         // of a look, and of all of them
constexpr uint64_t kLeastBytes = 4 << 10;  // smaller ones cannot be seen in a chart

}  // namespace

void SiteWatch::look(Tick tick, const void* ledger) {
  std::vector<std::pair<uint64_t, uint32_t>> held;
  const auto sites = ledger::sites_in(ledger);
  for (uint32_t i = 1; i < sites.size(); ++i) {
    const uint64_t bytes = sites[i].live_bytes;
    if (bytes >= kLeastBytes &&
        ledger::counts_as_live(static_cast<ledger::BlockKind>(sites[i].kind)))
      held.emplace_back(bytes, i);
  }
  const size_t kept = std::min(held.size(), kMostSites);
  std::partial_sort(held.begin(), held.begin() + static_cast<std::ptrdiff_t>(kept), held.end(),
                    std::greater<>());
  held.resize(kept);
  held.shrink_to_fit();
  looks_.push_back({tick, std::move(held)});
}

void SiteWatch::drop_every_other() { record::drop_every_other(looks_); }

record::ProcessLooks SiteWatch::told(size_t position) const {
  std::map<uint32_t, uint64_t> most;
  for (const Look& look : looks_) {
    for (const auto& [bytes, site] : look.held) most[site] = std::max(most[site], bytes);
  }
  std::vector<std::pair<uint64_t, uint32_t>> order;
  for (const auto& [site, bytes] : most) order.emplace_back(bytes, site);
  std::sort(order.begin(), order.end(), std::greater<>());
  if (order.size() > kMostSites) order.resize(kMostSites);
  record::ProcessLooks told{position, {}, {}};
  std::map<uint32_t, size_t> place;
  for (const auto& [bytes, site] : order) {
    place[site] = told.sites.size();
    told.sites.push_back({{site}, std::vector<uint64_t>(looks_.size())});
  }
  for (size_t i = 0; i < looks_.size(); ++i) {
    told.ticks.push_back(looks_[i].tick);
    for (const auto& [bytes, site] : looks_[i].held) {
      if (const auto at = place.find(site); at != place.end())
        told.sites[at->second].live[i] = bytes;
    }
  }
  return told;
}

}  // namespace tenure::cli
