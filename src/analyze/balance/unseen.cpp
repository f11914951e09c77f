#include "analyze/balance/unseen.h"

#include <algorithm>
#include <map>

#include "analyze/balance/rules.h"
#include "base/sentence_writer.h"
#include "base/short_place.h"
#include "base/whole.h"

namespace tenure::analyze {
namespace {

using ledger::BlockKind;
using Mapped = std::map<std::string, uint64_t>;  // address space by who asked for it

struct Seen {
  uint64_t bytes = 0;
  Mapped by_library, by_anyone;
};

// Small blocks are most at their own times: together that is no less than what they were at once.
Seen seen_by_sites(const Frames& frames) {
  const ledger::Reader& ledger = frames.ledger();
  Seen seen;
  for (const ledger::Site& site : ledger.sites()) {
    auto kind = static_cast<BlockKind>(site.kind);
    if (kind == BlockKind::small_heap) seen.bytes += site.max_live_bytes;
    if (kind != BlockKind::anonymous_map) continue;
    std::string path(ledger.string(ledger.module(site.asker.value).path));
    if (path.empty()) path = ledger.string(ledger.header().executable);
    seen.by_anyone[path] += site.max_live_bytes;
    // The program's own mappings are memory it asked for; a library's are what its allocator cuts up.
    if (frames.is_of_program(site.asker.value))
      seen.bytes += site.max_live_bytes;
    else
      seen.by_library[path] += site.max_live_bytes;
  }
  return seen;
}

// Who mapped most, if that may be so much; empty: nobody.
std::string who_mapped(const Mapped& mapped, uint64_t bytes) {
  auto most = std::max_element(mapped.begin(), mapped.end(),
                               [](const auto& a, const auto& b) { return a.second < b.second; });
  bool is_enough = most != mapped.end() && most->second >= bytes / 2;
  return is_enough ? short_place(most->first, 0) : "";
}

uint64_t growth_in(const record::MappingHistory& mapping) {
  if (mapping.resident.empty()) return 0;
  uint64_t first = mapping.resident.front(), last = mapping.resident.back();
  return last > first ? last - first : 0;
}

uint64_t mapping_that_grew(const std::vector<record::MappingHistory>& mappings) {
  auto most = std::max_element(mappings.begin(), mappings.end(), [](const auto& a, const auto& b) {
    return growth_in(a) < growth_in(b);
  });
  return most == mappings.end() || growth_in(*most) == 0 ? 0 : most->bytes;
}

std::string where_it_is(const UnseenMemory& unseen) {
  if (!unseen.library.empty()) return sentence("unseen.in_library", {{"library", unseen.library}});
  if (unseen.mapping) return sentence("unseen.in_mapping", {{"bytes", unseen.mapping}});
  return sentence("unseen.anywhere");
}

}  // namespace

UnseenMemory unseen_memory(const Frames& frames, const Activity& activity,
                           const record::ProcessOutcome& process, uint64_t peak) {
  const ledger::Header& h = frames.ledger().header();
  const record::ResidentMemory& resident = process.resident;
  Seen seen = seen_by_sites(frames);
  UnseenMemory unseen;
  uint64_t files = std::max(resident.file + resident.shared, h.most_file_bytes.load());
  unseen.resident = std::max(resident.peak, resident.total);
  // Without a look at the end nobody knows how much of the peak were files.
  if (h.ended_cpu_ns.load() && h.most_file_bytes.load())
    unseen.resident = std::max(unseen.resident, peak);
  uint64_t known = seen.bytes + h.peak_bytes.load() + h.heap_free.load() + h.own_bytes.load() +
                   files + resident.stack;
  unseen.bytes = unseen.resident > known ? unseen.resident - known : 0;
  auto share_of_resident = [&](double share) {
    return whole(share * static_cast<double>(unseen.resident));
  };
  unseen.limit = std::max(kLeastUnseen, share_of_resident(kMostUnseenShare));
  unseen.growth = unseen_growth(activity, process.memory, h.heap_free.load());
  unseen.growth_limit = std::max(kLeastUnseenGrowth, share_of_resident(kLeastUnseenGrowthShare));
  unseen.library = unseen.has_grown() ? who_mapped(seen.by_anyone, unseen.growth.bytes)
                                      : who_mapped(seen.by_library, unseen.bytes);
  unseen.mapping = mapping_that_grew(process.mappings);
  return unseen;
}

UnseenWords words_of(const UnseenMemory& unseen, const std::optional<Place>& grew_at) {
  const std::string where = where_it_is(unseen);
  if (!unseen.has_grown()) {
    return {sentence("loss.memory",
                     {{"bytes", unseen.bytes}, {"resident", unseen.resident}, {"where", where}}),
            sentence("unknown.memory",
                     {{"bytes", unseen.bytes}, {"resident", unseen.resident}, {"where", where}})};
  }
  const std::string ran =
      grew_at ? sentence("unseen.while", {{"line", short_place(grew_at->file, grew_at->line)}})
              : "";
  const uint64_t bytes = unseen.growth.bytes;
  return {sentence("loss.memory_grew", {{"bytes", bytes}, {"where", where}, {"while", ran}}),
          sentence("unknown.memory_grew", {{"bytes", bytes}, {"where", where}, {"while", ran}})};
}

}  // namespace tenure::analyze
