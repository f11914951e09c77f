// record/placement.h: where a run took place among others: its host, its job, the ranks of its processes. placement.json of a record.
// World: offline. Records that were made without it have none of this.
#pragma once
#include <map>
#include <string>

#include "base/result.h"

namespace tenure::record {

inline constexpr char kPlacementFile[] = "placement.json";
inline constexpr char kPlacementSchema[] = "tenure-placement/1";

// Of a process that no launcher has numbered.
inline constexpr int kNoRank = -1;

struct Placement {
  std::string host;                  // its name in the network; empty: not known
  std::string job;                   // as the launcher calls it; empty: none did
  std::map<std::string, int> ranks;  // of processes, by the names of their ledgers

  int rank_of(const std::string& ledger) const;
};

std::string this_host();

std::string placement_json(const Placement& placement);
Placement parse_placement_json(const std::string& text);  // empty where it is damaged

Placement read_placement(const std::string& directory);
Result<bool> write_placement(const std::string& directory, const Placement& placement);

}  // namespace tenure::record
