// analyze/growth/judgement.h: what is made of one line of the program that makes memory, and who holds that.
// World: offline. Values: growth fills them, balance and findings read them.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "analyze/causes/causes.h"
#include "analyze/evidence/accumulation.h"
#include "analyze/growth/rule.h"
#include "analyze/heap/holders.h"

namespace tenure::analyze {

// A line of the user's program.
struct Line {
  std::string file, function;
  int line = 0;
};

// Memory that one line makes, and what it comes to.
struct Growth : Accumulation {
  GrowthClass what = GrowthClass::suspected;
  Rule rule = Rule::survivors;
  Line line;
  ledger::BlockKind block_kind = ledger::BlockKind::heap;
  std::vector<SiteId> members;  // all sites of the line; those that grow are `sites`
  uint64_t most_bytes = 0;      // that its sites ever held, each at its own time
  uint64_t count = 0;           // of them; samples count once
  double blocks = 0;            // that these stand for: an estimate where there are samples
  double births = 0;            // of the biggest site
  double bytes_per_step = 0;
  std::string per;
  double relative_error = 0;
  double share_after = 0;            // of the axis, behind the last birth that survives
  StackId released;                  // where the program gave it back; 0: it did not
  bool is_of_compiler = false;       // a library generates code at its line, all along the run
  bool is_arena = false;             // the one block that grows, in pieces that all stay
  bool is_ignored = false;           // made while the program asked not to be told of it
  std::optional<GrowthCause> cause;  // an adapter saw it happen
};

struct Judgement {
  Growth growth;
  std::optional<Explanation> held;
};

// Whether a snapshot shows who holds most of it. One block that is replaced says nothing about piles.
bool is_held(const Judgement& judgement);

}  // namespace tenure::analyze
