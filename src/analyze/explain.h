// analyze/explain.h: growths with their holders: who keeps what a line makes, as the snapshots of the process show it.
// World: offline. Heap graphs are made when they are first asked for; one Holders per process.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analyze/findings.h"
#include "analyze/growth.h"
#include "analyze/retention.h"
#include "analyze/storing_line.h"

namespace tenure::analyze {

// What a snapshot tells about one growth.
struct Explanation {
  Manner manner = Manner::python;
  Holder holder;
  std::string why, fix;
  std::vector<KeptName> kept;        // what sources call it, innermost first
  std::string key;                   // growths with the same one have the same holder
  bool is_most = false;              // the holder keeps at least half of what grows
  bool is_in_one_container = false;  // nearly all of what grows, and the holder is that
  bool is_bounded = false;           // by a maxlen or maxsize: it will stop growing
  bool is_in_library = false;        // a global of a library keeps it
  bool is_of_objects = false;  // objects stand between, which may own memory that no walk sees
  bool is_of_things = false;   // told of the things of a cause, not of the blocks themselves
  SiteId table;  // told of the container's own table, made there, not of the objects in it
};

struct ExplainedGrowth {
  Growth growth;
  std::optional<Explanation> held;
};

// A line of `tenure show --holders`.
struct HolderFigures {
  std::string text;
  std::string block;  // one that it holds, as `tenure show --path` takes it; empty: none
  uint64_t bytes = 0;
  uint64_t count = 0;
};

struct HolderSummary {
  std::vector<HolderFigures> holders;  // most bytes first
  uint64_t all_bytes = 0;              // of the blocks in the snapshot
  uint64_t native_bytes = 0, garbage_bytes = 0, unexplained_bytes = 0;
  uint64_t objects = 0;
};

struct WaitingBlocks {
  uint64_t bytes = 0;
  uint64_t count = 0;
};

// What was reachable from nothing but itself at one moment.
struct WaitingGarbage {
  std::map<SiteId, WaitingBlocks> sites;
  uint64_t bytes = 0;
  size_t groups = 0;  // that know nothing of each other
  Holder holder;
  std::string fix;
};

class Holders {
 public:
  // `snapshots`: oldest first; must outlive this. `main_file`: what the module `__main__` is called.
  Holders(const std::vector<ledger::Snapshot>& snapshots, std::string main_file);
  ~Holders();

  // From the newest snapshot that has half of what grew, or from an older one with a tenth of it where only that one
  // knows a name; nothing if none has.
  std::optional<Explanation> explain(const Growth& growth);

  // Who keeps the things that an adapter saw pile up, from the snapshot that has most of them; nothing if none has several.
  std::optional<Explanation> explain_things(const GrowthCause& cause, const Growth& growth);

  // Whether a snapshot saw nearly as many of them alive as the adapter saw pile up. Those that wait for the collector are
  // as good as gone.
  bool has_all_things(const GrowthCause& cause);

  // Those of the sites whose blocks mostly hang from a container of the program's own, and not from things that an
  // adapter told of: what the container keeps would stay if the cause at their line were mended.
  std::set<SiteId> kept_by_program(const std::vector<SiteId>& sites);

  // Who keeps small Python objects that pile up in one container; nothing if no container grew with them.
  std::optional<Explanation> explain_objects(const Growth& growth);

  // Native memory that no reference leads to, but that was gone when the interpreter had ended: nothing, unless objects of
  // one class wait for the collector, at least one for every four steps.
  std::optional<Explanation> explain_by_garbage(const Growth& growth);

  // The type that grew most between the first and the last snapshot: "214000 more `Node`"; empty if none did.
  std::string grown_type() const;

  // By the snapshot that saw most alive, or by the newest.
  std::optional<HolderSummary> summary(size_t most, bool is_newest = false);

  // By the snapshot that saw most of it, at least `least` bytes, in several groups; one group alone is no garbage that
  // piles up.
  WaitingGarbage worst_garbage(uint64_t least);

 private:
  struct Things {
    size_t snapshot = 0;
    std::vector<uint32_t> buffers;  // empty: there are none
  };

  const HeapGraph& graph(size_t snapshot);
  Things most_things(const GrowthCause& cause) const;
  WaitingGarbage garbage_in(size_t snapshot);
  Explanation explain_from(size_t snapshot, const Growth& growth,
                           const std::vector<uint32_t>& buffers);

  const std::vector<ledger::Snapshot>& snapshots_;
  std::string main_file_;
  std::vector<std::unique_ptr<HeapGraph>> graphs_;
};

// Finds the holder of each growth; growths of bounded holders are dropped, growths with one holder joined.
std::vector<ExplainedGrowth> explain_growths(std::vector<Growth> growths, Holders& holders);

}  // namespace tenure::analyze
