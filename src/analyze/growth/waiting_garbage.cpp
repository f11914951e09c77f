#include "analyze/growth/waiting_garbage.h"

#include <algorithm>

#include "analyze/growth/rules.h"

namespace tenure::analyze {
namespace {

// The sites whose blocks wait, the most bytes first; only those that made several of them.
std::vector<std::pair<SiteId, WaitingBlocks>> repeated(const ledger::Reader& ledger,
                                                       const WaitingGarbage& garbage) {
  std::vector<std::pair<SiteId, WaitingBlocks>> sites;
  for (const auto& [id, blocks] : garbage.sites) {
    if (id.value >= ledger.sites().size()) continue;
    bool is_repeated =
        blocks.count >= kFewestAtOnce && ledger.sites()[id.value].births >= kFewestBirths;
    if (is_repeated) sites.emplace_back(id, blocks);
  }
  std::sort(sites.begin(), sites.end(),
            [](const auto& a, const auto& b) { return a.second.bytes > b.second.bytes; });
  return sites;
}

void add_place(const ReadableFrame& line, std::vector<Place>& places) {
  if (!has_place(places, line.file, line.line) && places.size() < kMostGarbageLines)
    places.push_back(place_of(line, PlaceRole::made_at));
}

void add_unit(const ledger::Site& site, uint32_t depth, const Units& units, GarbagePile& pile) {
  for (const Unit& unit : units.around(site.stack, depth)) {
    if (!unit.is_users || unit.steps < kFewestBirths) continue;
    pile.per = unit.per;
    pile.steps = unit.steps;
    return;
  }
}

void add_lines(Frames& frames, const Units& units, SiteId site, GarbagePile& pile) {
  const ledger::Reader& ledger = frames.ledger();
  std::vector<const ReadableFrame*> lines = user_frames(frames, ledger.sites()[site.value].stack);
  if (lines.empty()) return;
  if (pile.where.empty())
    add_unit(ledger.sites()[site.value], ledger.stack(lines[0]->node).depth, units, pile);
  pile.made_there.push_back(place_of(*lines[0], PlaceRole::made_at));
  // The line that made the object of the cycle is further out than the one that made its memory.
  for (size_t i = 0; i < lines.size() && i < 2; ++i) add_place(*lines[i], pile.where);
}

}  // namespace

std::optional<GarbagePile> find_waiting_garbage(Frames& frames, const Units& units,
                                                Holders& holders) {
  const ledger::Reader& ledger = frames.ledger();
  WaitingGarbage garbage = holders.worst_garbage(kLeastGarbage);
  GarbagePile pile;
  double made = 0;
  for (const auto& [id, blocks] : repeated(ledger, garbage)) {
    pile.bytes += blocks.bytes;
    pile.count += blocks.count;
    made += static_cast<double>(ledger.sites()[id.value].total_bytes);
    add_lines(frames, units, id, pile);
  }
  bool is_much = pile.bytes >= kLeastGarbage &&
                 pile.bytes * kLeastGarbagePart >= ledger.header().peak_bytes.load();
  if (!is_much || pile.where.empty()) return std::nullopt;
  pile.holder = garbage.holder;
  pile.fix = garbage.fix;
  pile.links = garbage.links;
  if (pile.steps) pile.bytes_per_step = made / static_cast<double>(*pile.steps);
  return pile;
}

}  // namespace tenure::analyze
