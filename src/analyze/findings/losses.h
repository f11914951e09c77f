// analyze/findings/losses.h: what was not seen of a process, in words.
// World: offline. Pure.
#pragma once
#include <map>
#include <span>
#include <string>

#include "ledger/reader.h"
#include "ledger/snapshot_reader.h"

namespace tenure::analyze {

// By a stable name. Losses of several processes are added to the same map.
void add_losses(const ledger::Reader& ledger, std::map<std::string, std::string>& losses);

// A line that was not kept could store as well: then no `kept at` is sure.
void add_lost_codes(std::span<const ledger::Snapshot> snapshots,
                    std::map<std::string, std::string>& losses);

// The program has a malloc of its own and no block came to ours: "off: ..." or empty.
std::string_view heap_off(const ledger::Reader& ledger);

}  // namespace tenure::analyze
