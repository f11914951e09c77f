// analyze/growth.h: the leak test: which lines of the user's program make memory that stays, step after step.
// World: offline. Pure: a ledger in, growths out.
#pragma once
#include <string>
#include <vector>

#include "analyze/causes.h"
#include "analyze/frames.h"
#include "analyze/survivors.h"
#include "analyze/units.h"

namespace tenure::analyze {

enum class GrowthClass {
  leak,           // every condition is met
  growing_block,  // one block that is replaced by ever bigger ones
  suspected,      // one condition is missed: a warning
  too_short,      // grows, but over too few steps to tell
};

// Memory that grows because of one line of the user's program.
struct Growth {
  GrowthClass what = GrowthClass::suspected;
  std::vector<SiteId> sites;              // biggest first
  std::vector<std::vector<Slice>> lives;  // of each of them: when its blocks were born
  ledger::BlockKind block_kind = ledger::BlockKind::heap;
  uint64_t bytes = 0;         // alive at the judged moment
  uint64_t bytes_at_end = 0;  // of the same sites, when the process had ended
  uint64_t count = 0;
  double births = 0;     // of the biggest site
  double survivors = 0;  // distinct blocks born in the later half that survive; samples count once
  double bytes_per_step = 0;
  uint64_t steps = 0;
  std::string per;
  Unit unit;
  bool is_estimated = false;  // from sampled blocks
  double relative_error = 0;
  std::string missing;               // suspected: the condition that is missed
  bool needs_holder = false;         // suspected: all that is missed is who keeps it
  bool has_let_go = false;           // suspected: all that speaks against it is what was freed
  bool is_of_compiler = false;       // what a library made while it generated code, again and again
  std::optional<GrowthCause> cause;  // an adapter saw it happen
};

// Largest first.
std::vector<Growth> find_growth(Frames& frames, const Units& units, const Causes& causes);

}  // namespace tenure::analyze
