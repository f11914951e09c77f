// record/site_looks.h: what the largest sites of a process held along its life, as `tenure run` saw it from beside the program: a
// file of the record that only the report page asks for.
// World: offline. Values; reading and writing are the only things here that open a file.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"

namespace tenure::record {

struct SiteLook {
  SiteId site;
  std::vector<uint64_t> live;  // bytes; parallel to ProcessLooks::ticks
};

struct ProcessLooks {
  size_t position = 0;          // in RunOutcome::processes
  std::vector<Tick> ticks;      // of the process's ledger, when it was looked at
  std::vector<SiteLook> sites;  // those that held most at one of these
};

std::string looks_json(const std::vector<ProcessLooks>& processes);
// Nothing where it is damaged.
std::vector<ProcessLooks> parse_looks(const std::string& text);

Result<bool> write_looks(const std::string& directory, const std::vector<ProcessLooks>& processes);
// Nothing where there is no such file, as in a record of an older version, or where it is damaged.
std::vector<ProcessLooks> read_looks(const std::string& directory);

}  // namespace tenure::record
