#include "analyze/balance/unseen.h"

#include <algorithm>
#include <map>

#include "analyze/balance/rules.h"
#include "base/short_place.h"
#include "base/whole.h"

namespace tenure::analyze {
namespace {

using ledger::BlockKind;

struct Seen {
  uint64_t bytes = 0;
  std::map<std::string, uint64_t> mapped;  // address space by the library that asked for it
};

// Small blocks are most at their own times: together that is no less than what they were at once.
Seen seen_by_sites(const Frames& frames) {
  Seen seen;
  for (const ledger::Site& site : frames.ledger().sites()) {
    auto kind = static_cast<BlockKind>(site.kind);
    if (kind == BlockKind::small_heap) seen.bytes += site.max_live_bytes;
    if (kind != BlockKind::anonymous_map) continue;
    // The program's own mappings are memory it asked for; a library's are what its allocator cuts up.
    if (frames.is_of_program(site.asker.value))
      seen.bytes += site.max_live_bytes;
    else
      seen.mapped[std::string(frames.ledger().string(
          frames.ledger().module(site.asker.value).path))] += site.max_live_bytes;
  }
  return seen;
}

}  // namespace

UnseenMemory unseen_memory(const Frames& frames, const record::ProcessOutcome& process,
                           uint64_t peak) {
  const ledger::Header& h = frames.ledger().header();
  const record::ResidentMemory& resident = process.resident;
  Seen seen = seen_by_sites(frames);
  UnseenMemory unseen;
  uint64_t files = std::max(resident.file + resident.shared, h.ended_file_bytes.load());
  unseen.resident = std::max(resident.peak, resident.total);
  // Without a look at the end nobody knows how much of the peak were files.
  if (h.ended_file_bytes.load()) unseen.resident = std::max(unseen.resident, peak);
  uint64_t known = seen.bytes + h.peak_bytes.load() + h.heap_free.load() + h.own_bytes.load() +
                   files + resident.stack;
  unseen.bytes = unseen.resident > known ? unseen.resident - known : 0;
  unseen.limit =
      std::max(kLeastUnseen, whole(kMostUnseenShare * static_cast<double>(unseen.resident)));
  auto most = std::max_element(seen.mapped.begin(), seen.mapped.end(),
                               [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most != seen.mapped.end() && most->second >= unseen.bytes / 2)
    unseen.library = short_place(most->first, 0);
  return unseen;
}

}  // namespace tenure::analyze
