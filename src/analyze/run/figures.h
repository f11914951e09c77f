// analyze/run/figures.h: what was counted in the main process, unjudged: every site, and every loop that came round.
// World: offline. Pure over a record.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "analyze/run/frames.h"
#include "analyze/run/place.h"
#include "record/record.h"

namespace tenure::analyze {

// What one site held and made.
struct SiteFigures {
  Place place;
  std::string kind;
  std::string op;    // a text: its name, or whose backward it is; empty: not known
  std::string role;  // "activation", "parameter"...; empty: none
  uint64_t at_peak_bytes = 0, at_peak_count = 0;
  uint64_t live_bytes = 0, live_count = 0;
  uint64_t total_bytes = 0, total_count = 0;
  uint64_t most_bytes = 0;  // ever live at once, of this site alone
  double live_error = 0;    // standard error of live_bytes, in bytes; 0: exact
  double total_error = 0;   // of total_bytes
};

// By bytes at the peak, largest first. `most` = 0: all of them.
std::vector<SiteFigures> biggest_sites(const record::Record& record, size_t most);

// The operations of frameworks that made blocks of the main process, each once.
std::set<std::string> all_ops(const record::Record& record);

// Bytes at the peak by what they are to a model, in words for several. Empty: no model was seen.
std::map<std::string, uint64_t> roles_at_peak(Frames& frames);

// A loop or a named step that was seen to repeat.
struct SeenUnit {
  std::string per;
  std::string file;  // empty: a named step
  int line = 0;
  uint64_t steps = 0;
  bool is_users = false;
};
std::vector<SeenUnit> seen_units(const record::Record& record);

// A live block of the last snapshot, held by anybody or nobody.
struct BlockFigures {
  Place place;
  uint64_t address = 0;
  uint64_t bytes = 0;
  std::string op;  // of a framework, that made it; empty: none is known
};
std::vector<BlockFigures> live_blocks(const record::Record& record);

}  // namespace tenure::analyze
