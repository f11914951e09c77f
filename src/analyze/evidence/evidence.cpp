#include "analyze/evidence/evidence.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <tuple>

#include "analyze/evidence/rules.h"

namespace tenure::analyze {
namespace {

using ledger::BlockKind;
using ledger::Site;

// Pages of files are no memory of the program's own; of a pool its children count.
bool is_live_memory(const Site& site) {
  auto kind = static_cast<BlockKind>(site.kind);
  return kind != BlockKind::file_map && kind != BlockKind::pool_region;
}

bool is_of_heap(const Site& site) {
  auto kind = static_cast<BlockKind>(site.kind);
  return kind == BlockKind::heap || kind == BlockKind::small_heap;
}

using PlaceKey = std::tuple<StackId, StringId, StackId, uint8_t, uint8_t>;
PlaceKey place_of(const Site& site) {
  return {site.stack, site.op, site.forward, site.is_tensor, site.is_ignored};
}

// The counters of both. What only one history can tell, as buckets, is in the joined history.
void join_counters(const Site& a, const Site& b, Site& site) {
  std::memcpy(static_cast<void*>(&site), &a, sizeof site);  // its lock is nobody's here
  site.births += b.births;
  site.total_bytes += b.total_bytes;
  site.live_bytes += b.live_bytes;
  site.live_count += b.live_count;
  site.total_count += b.total_count;
  site.resizes += b.resizes;
  site.emptied += b.emptied;
  site.max_live_bytes += b.max_live_bytes;
  site.largest = std::max(a.largest, b.largest);
  site.first_tick = std::min(a.first_tick, b.first_tick);
  site.last_tick = std::max(a.last_tick, b.last_tick);
  site.last_end_tick = std::max(a.last_end_tick, b.last_end_tick);
  site.total_variance += b.total_variance;
  site.live_variance += b.live_variance;
}

// Where the samples do not know what the counted blocks of their stack held, both are added up.
SiteHistory joined_history(const SiteEvidence& a, const SiteEvidence& b) {
  const SiteEvidence &sampled = is_sampled(a) ? a : b, &counted = is_sampled(a) ? b : a;
  if (!is_sampled(sampled) || is_sampled(counted) || !sampled.site->exact)
    return join_histories(a.history, b.history);
  // By bytes: small blocks beside big ones are many, and tell as little as they hold.
  double blocks_per_sample = bytes_of_one(sampled) / std::max(1.0, bytes_of_one(counted));
  return join_samples(counted.history, sampled.history, blocks_per_sample);
}

// Where the governor raised the threshold, blocks of one call are counted one by one first and sampled later. That must not
// split what the call leaves.
void join_sampled(Evidence& evidence) {
  std::map<PlaceKey, size_t> first;
  std::vector<SiteEvidence> sites;
  for (SiteEvidence& c : evidence.sites) {
    auto [known, is_new] = first.try_emplace(place_of(*c.site), sites.size());
    if (is_new || !is_of_heap(*c.site) || !is_of_heap(*sites[known->second].site)) {
      sites.push_back(std::move(c));
      continue;
    }
    SiteEvidence& into = sites[known->second];
    if (into.history.is_ended != c.history.is_ended) {  // one of them tells of another time
      if (into.history.is_ended) std::swap(into, c);
      sites.push_back(std::move(c));
      continue;
    }
    if (c.history.bytes > into.history.bytes) std::swap(into, c);
    into.joined.push_back(c.id);
    into.history = joined_history(into, c);
    join_counters(*into.site, *c.site, evidence.joined.emplace_back());
    into.site = &evidence.joined.back();
  }
  evidence.sites = std::move(sites);
}

bool has_grown_since(const SiteHistory& history, Tick tick) {
  return tick == 0 || survivors_born_after(history, tick) > 0;
}

}  // namespace

Evidence collect_evidence(Frames& frames, const Units& units) {
  Evidence evidence{axis_of(frames.ledger(), units), {}, {}};
  auto sites = frames.ledger().sites();
  for (uint32_t i = 1; i < sites.size(); ++i) {
    const Site& site = sites[i];
    if (site.max_live_bytes < kLeastSiteBytes || !is_live_memory(site)) continue;
    if (frames.is_of_adapters(site)) continue;
    SiteHistory history = history_of(site, evidence.axis);
    if (!has_grown_since(history, units.asked_from())) continue;
    evidence.sites.push_back({{i}, &site, std::move(history), {}, nullptr, 0});
  }
  bool is_raised = frames.ledger().header().exact_threshold > kLowestThreshold;
  if (is_raised) join_sampled(evidence);
  return evidence;
}

}  // namespace tenure::analyze
