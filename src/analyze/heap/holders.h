// analyze/heap/holders.h: who keeps what piles up, as the snapshots of a process show it.
// World: offline. Heap graphs are made when they are first asked for; one Holders per process.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analyze/evidence/accumulation.h"
#include "analyze/heap/holder.h"
#include "analyze/heap/holder_links.h"
#include "analyze/heap/kept_name.h"
#include "analyze/heap/retention.h"

namespace tenure::analyze {

// What a snapshot tells about one growth.
struct Explanation {
  RetentionKind retention_kind = RetentionKind::python;
  Holder holder;
  std::string why, fix;
  std::vector<HolderLink> links;  // from a root to a typical block
  std::vector<KeptName> kept;     // what the code calls it, innermost first
  KeptClues clues;
  std::string key;  // growths with the same one have the same holder
  std::vector<std::string>
      at_once;               // keys of the containers it hangs from at once, if there are several
  bool is_most = false;      // the holder keeps at least half of what grows
  double waiting_share = 0;  // of its blocks, those that only wait for the collector
  bool is_in_one_container = false;  // nearly all of what grows, and the holder is that
  Bound bound;                       // by a maxlen or maxsize: it will stop growing
  bool is_in_library = false;        // a global of a library keeps it
  bool is_of_objects = false;  // objects stand between, which may own memory that no walk sees
  bool is_of_cause = false;    // told of the objects of a cause, not of the blocks themselves
  bool has_lost_references = false;  // data whose references no object or frame explains
  SiteId table;  // told of the container's own table, made there, not of the objects in it
};

// A line of `tenure show --holders`.
struct HolderFigures {
  std::string text;   // a sentence
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
  std::vector<HolderLink> links;
};

class Holders {
 public:
  // `snapshots`: oldest first; must outlive this. `main_file`: what the module `__main__` is called.
  Holders(const std::vector<ledger::Snapshot>& snapshots, std::string main_file);
  ~Holders();

  // From the newest snapshot that has half of what grew, or from an older one with a tenth of it where only that one
  // knows a name; nothing if none has.
  std::optional<Explanation> explain(const Accumulation& pile);

  // Who keeps the objects that an adapter saw pile up under this number, from the snapshot that has most of them; nothing
  // if none has several.
  std::optional<Explanation> explain_objects_of(uint32_t cause, const Accumulation& pile);

  // Whether a snapshot saw nearly as many of them alive as the adapter saw pile up. Those that wait for the collector are
  // as good as gone.
  bool has_all_objects_of(uint32_t cause, uint64_t piled_up);

  // Those of the sites whose blocks mostly hang from a container of the program's own, and not from objects that an
  // adapter told of: what the container keeps would stay if the cause at their line were mended.
  std::set<SiteId> kept_by_program(const std::vector<SiteId>& sites);

  // Who keeps small Python objects that pile up in one container; nothing if no container grew with them.
  std::optional<Explanation> explain_small_objects(const Accumulation& pile);

  // Native memory that no reference leads to, but that was gone when the interpreter had ended: nothing, unless objects of
  // one class wait for the collector, at least one for every four steps.
  std::optional<Explanation> explain_by_garbage(const Accumulation& pile);

  // The type that grew most from the first snapshot to the one with most alive: "214000 more `Node`"; empty if none did.
  std::string grown_type() const;

  // By the snapshot that saw most alive, or by the newest.
  std::optional<HolderSummary> summary(size_t most, bool is_newest = false);

  // By the snapshot that saw most of it, at least `least` bytes, in several groups; one group alone is no garbage that
  // piles up.
  WaitingGarbage worst_garbage(uint64_t least);

 private:
  struct ObjectsOfCause {
    size_t snapshot = 0;
    std::vector<uint32_t> buffers;  // empty: there are none
  };

  size_t fullest_snapshot() const;
  const HeapGraph& graph(size_t snapshot);
  ObjectsOfCause most_objects_of(uint32_t cause) const;
  WaitingGarbage garbage_in(size_t snapshot);
  Explanation explain_from(size_t snapshot, const Accumulation& pile,
                           const std::vector<uint32_t>& buffers);

  const std::vector<ledger::Snapshot>& snapshots_;
  std::string main_file_;
  std::vector<std::unique_ptr<HeapGraph>> graphs_;
};

}  // namespace tenure::analyze
