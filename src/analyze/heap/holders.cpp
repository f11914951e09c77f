#include "analyze/heap/holders.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "analyze/heap/block_path.h"
#include "analyze/heap/grown_container.h"
#include "analyze/heap/holder_text.h"
#include "analyze/heap/kept_at.h"
#include "analyze/heap/rules.h"
#include "analyze/heap/waiting_class.h"
#include "base/sentence_writer.h"

namespace tenure::analyze {
namespace {

std::vector<uint32_t> buffers_of(const ledger::Snapshot& snapshot,
                                 const std::vector<SiteId>& sites) {
  std::set<SiteId> asked(sites.begin(), sites.end());
  std::vector<uint32_t> found;
  auto buffers = snapshot.buffers();
  for (uint32_t i = 0; i < buffers.size(); ++i) {
    if (asked.contains(buffers[i].site)) found.push_back(i);
  }
  return found;
}

uint64_t bytes_of(const ledger::Snapshot& snapshot, const std::vector<uint32_t>& buffers) {
  uint64_t bytes = 0;
  for (uint32_t i : buffers) bytes += snapshot.buffers()[i].bytes;
  return bytes;
}

// Objects that an adapter told of stand in the snapshot as buffers without a site.
bool is_object_of_cause(const ledger::SnapshotBuffer& buffer) { return !buffer.site; }

std::vector<uint32_t> objects_of(const ledger::Snapshot& snapshot, uint32_t cause) {
  std::vector<uint32_t> found;
  auto buffers = snapshot.buffers();
  for (uint32_t i = 0; i < buffers.size(); ++i) {
    if (is_object_of_cause(buffers[i]) && buffers[i].ordinal == cause) found.push_back(i);
  }
  return found;
}

// Which part of a growth's blocks a snapshot has. Of sampled blocks the bytes are those of the samples only.
double part_seen(const ledger::Snapshot& snapshot, const std::vector<uint32_t>& buffers,
                 const Accumulation& pile) {
  double by_bytes = static_cast<double>(bytes_of(snapshot, buffers)) /
                    std::max(1.0, static_cast<double>(pile.bytes));
  bool has_enough_samples =
      pile.is_estimated && static_cast<double>(buffers.size()) >= pile.survivors;
  return has_enough_samples && !buffers.empty() ? 1 : by_bytes;
}

bool has_survivors_born_after(const Accumulation& pile, Tick tick) {
  return std::any_of(pile.lives.begin(), pile.lives.end(), [&](const std::vector<Slice>& slices) {
    return std::any_of(slices.begin(), slices.end(),
                       [&](const Slice& s) { return s.from > tick && s.survivors > 0; });
  });
}

// More was added after the snapshot was taken: more than the one block that a step had in hand. Tables of containers and
// objects of causes are no blocks of the growth itself.
bool has_grown_since(const ledger::Snapshot& snapshot, const std::vector<uint32_t>& buffers,
                     const Accumulation& pile) {
  SiteId site = snapshot.buffers()[buffers.front()].site;
  bool is_of_pile = std::find(pile.sites.begin(), pile.sites.end(), site) != pile.sites.end();
  if (has_survivors_born_after(pile, snapshot.header().tick)) return true;
  if (!is_of_pile) return false;
  if (pile.is_one_block || part_seen(snapshot, buffers, pile) >= 1) return false;
  double seen = static_cast<double>(bytes_of(snapshot, buffers));
  double of_one = seen / static_cast<double>(buffers.size());
  return static_cast<double>(pile.bytes) - seen > of_one;
}

// In which step of the growth the block was made; nothing where no steps are known.
std::optional<double> step_of(const ledger::SnapshotBuffer& buffer, const Accumulation& pile) {
  auto site = std::find(pile.sites.begin(), pile.sites.end(), buffer.site);
  auto number = static_cast<size_t>(site - pile.sites.begin());
  if (pile.steps == 0 || number >= pile.lives.size()) return std::nullopt;
  return pile.unit.step_at(born_at(pile.lives[number], buffer.ordinal));
}

// What the first step makes may be there for good, as what a library compiles for it: blocks of later steps tell who holds
// what grows, where there are enough of them. Samples of the first step alone are of nothing that grows.
std::vector<uint32_t> without_first_step(const ledger::Snapshot& snapshot,
                                         const std::vector<uint32_t>& buffers,
                                         const Accumulation& pile) {
  std::vector<uint32_t> later;
  std::copy_if(buffers.begin(), buffers.end(), std::back_inserter(later),
               [&](uint32_t i) { return step_of(snapshot.buffers()[i], pile).value_or(0) > 1; });
  bool is_of_first = later.empty() && pile.is_estimated && pile.steps > 1;
  return later.size() >= kFewestBlocks || is_of_first ? later : buffers;
}

// From how many steps of the growth the blocks are. Many blocks may be of one step and go with it.
size_t steps_of(const ledger::Snapshot& snapshot, const std::vector<uint32_t>& buffers,
                const Accumulation& pile) {
  std::set<double> steps;
  for (uint32_t i : buffers) {
    if (auto step = step_of(snapshot.buffers()[i], pile)) steps.insert(*step);
  }
  return steps.size();
}

// Nodes of containers keep their address from one snapshot to the next; roots are no holders to join by. The same
// attribute of two objects is one cause.
std::string key_of(const HeapGraph& heap, const Retention& retention, const Holder& holder) {
  bool is_object = retention.point && heap.kind(retention.point) == ledger::NodeKind::object;
  if (retention.attribute.empty() && !is_object) return holder.text;
  return key_of_container(heap, retention.point, retention.attribute);
}

// Whether a library's module leads to it, and no code of the user's.
bool is_in_library(const HeapGraph& heap, uint32_t point) {
  std::vector<uint32_t> way = point ? heap.way_to(point) : std::vector<uint32_t>{};
  auto nodes = heap.snapshot().nodes();
  bool is_global = std::any_of(way.begin(), way.end(), [&](uint32_t v) {
    return heap.kind(v) == ledger::NodeKind::module_root;
  });
  return is_global && std::none_of(way.begin(), way.end(), [&](uint32_t v) {
           return nodes[v].flags & ledger::kNodeIsUsers;
         });
}

// Whether the way to the blocks goes through something an adapter told of.
bool passes_object_of_cause(const HeapGraph& heap, const Retention& retention) {
  std::set<uint32_t> objects;
  for (const ledger::SnapshotBuffer& buffer : heap.snapshot().buffers()) {
    if (!is_object_of_cause(buffer)) continue;
    auto owners = heap.referrers(buffer.node);
    objects.insert(owners.begin(), owners.end());
  }
  auto is_told = [&](uint32_t v) { return objects.contains(v); };
  std::vector<uint32_t> way = heap.way_to(retention.point);
  return std::any_of(way.begin(), way.end(), is_told) ||
         std::any_of(retention.down.begin(), retention.down.end(), is_told);
}

// The container's items are the arrays and tensors themselves, or plain containers of them. What hangs from an item of
// another kind, an exception with its frames or a model, is there for the sake of that.
bool holds_directly(const HeapGraph& heap, const Retention& retention) {
  return std::all_of(retention.down.begin(), retention.down.end(), [&](uint32_t v) {
    return heap.is_container(v) || heap.is_data_owner(v) || heap.is_internal_container(v);
  });
}

bool is_programs_own(const HeapGraph& heap, const Retention& retention) {
  bool is_kept = retention.retention_kind == RetentionKind::python ||
                 retention.retention_kind == RetentionKind::view;
  return is_kept && retention.count >= kFewestBlocks && retention.point &&
         heap.is_container(retention.point) && !is_in_library(heap, retention.point) &&
         holds_directly(heap, retention) && !passes_object_of_cause(heap, retention);
}

double waiting_share_of(const std::vector<Retention>& held) {
  uint64_t waiting = 0, all = 0;
  for (const Retention& r : held) {
    all += r.count;
    waiting += r.retention_kind == RetentionKind::cycle ? r.count : 0;
  }
  return all ? static_cast<double>(waiting) / static_cast<double>(all) : 0;
}

// A str or bytes that only native code refers to: nothing of C keeps such objects but by mistake.
bool has_lost_references(const HeapGraph& heap, const Retention& retention) {
  if (retention.retention_kind != RetentionKind::native) return false;
  auto last = std::find_if(retention.down.rbegin(), retention.down.rend(),
                           [&](uint32_t v) { return heap.kind(v) == ledger::NodeKind::object; });
  if (last == retention.down.rend()) return false;
  bool is_data = heap.type(*last) == "str" || heap.type(*last) == "bytes";
  auto above = heap.referrers(*last);
  return is_data && std::all_of(above.begin(), above.end(), [&](uint32_t v) {
           return heap.kind(v) == ledger::NodeKind::native_root;
         });
}

// A typical block that it holds.
std::string block_of(const HeapGraph& heap, const Retention& retention, size_t snapshot) {
  if (retention.down.empty()) return "";
  auto buffers = heap.snapshot().buffers();
  for (uint32_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i].node == retention.down.back())
      return text_of({static_cast<uint32_t>(snapshot) + 1, i});
  }
  return "";
}

}  // namespace

Holders::Holders(const std::vector<ledger::Snapshot>& snapshots, std::string main_file)
    : snapshots_(snapshots), main_file_(std::move(main_file)), graphs_(snapshots.size()) {}
Holders::~Holders() = default;

const HeapGraph& Holders::graph(size_t snapshot) {
  if (!graphs_[snapshot]) graphs_[snapshot] = std::make_unique<HeapGraph>(snapshots_[snapshot]);
  return *graphs_[snapshot];
}

std::optional<Explanation> Holders::explain(const Accumulation& pile) {
  std::optional<Explanation> nameless;
  double asked =
      std::numeric_limits<double>::infinity();  // snapshots with so much were asked before
  for (double least : {kHalfSeen, kTenthSeen, kEarlySeen, kFirstSeen}) {
    for (size_t i = snapshots_.size(); i-- > 0;) {
      std::vector<uint32_t> buffers =
          without_first_step(snapshots_[i], buffers_of(snapshots_[i], pile.sites), pile);
      double part = buffers.empty() ? 0 : part_seen(snapshots_[i], buffers, pile);
      bool is_enough = part >= kHalfSeen || buffers.size() >= kFewestBlocks ||
                       steps_of(snapshots_[i], buffers, pile) >= kFewestItems ||
                       pile.is_one_block;  // one, whatever its size
      if (part < least || part >= asked || (!is_enough && buffers.size() < kFewestItems)) continue;
      Explanation found = explain_from(i, pile, buffers);
      if (found.holder.text.empty() || (least == kEarlySeen && !found.is_most)) continue;
      if ((!is_enough || least == kFirstSeen) && !found.is_in_one_container) continue;
      // What has a name while the program works is held by that name, though it is garbage once main() has returned; unless
      // much of it was garbage even then, and the name only has the newest.
      bool is_late_garbage = nameless && nameless->retention_kind == RetentionKind::cycle;
      if (is_late_garbage && found.waiting_share >= kWaitedEvenThen) continue;
      if (found.retention_kind != RetentionKind::cycle &&
          found.retention_kind != RetentionKind::native)
        return found;
      if (!nameless && least == kHalfSeen) nameless = std::move(found);
    }
    asked = least;
  }
  return nameless;
}

Holders::ObjectsOfCause Holders::most_objects_of(uint32_t cause) const {
  ObjectsOfCause most;
  for (size_t i = 0; i < snapshots_.size(); ++i) {
    std::vector<uint32_t> objects = objects_of(snapshots_[i], cause);
    if (objects.size() < std::max(most.buffers.size(), kFewestObjects)) continue;
    most = {i, std::move(objects)};
  }
  return most;
}

bool Holders::has_all_objects_of(uint32_t cause, uint64_t piled_up) {
  ObjectsOfCause most = most_objects_of(cause);
  if (most.buffers.empty()) return false;
  const HeapGraph& heap = graph(most.snapshot);
  uint32_t garbage = garbage_root_of(heap);
  auto kept = std::count_if(most.buffers.begin(), most.buffers.end(), [&](uint32_t i) {
    uint32_t node = snapshots_[most.snapshot].buffers()[i].node;
    return garbage == 0 || node == 0 || !heap.dominates(garbage, node);
  });
  return static_cast<double>(kept) >= kNearlyAllObjects * static_cast<double>(piled_up);
}

std::optional<Explanation> Holders::explain_objects_of(uint32_t cause, const Accumulation& pile) {
  ObjectsOfCause most = most_objects_of(cause);
  if (most.buffers.empty()) return std::nullopt;
  Explanation found = explain_from(most.snapshot, pile, most.buffers);
  found.is_of_cause = true;
  bool is_known = !found.holder.text.empty() && found.retention_kind != RetentionKind::native;
  return is_known ? std::optional<Explanation>(std::move(found)) : std::nullopt;
}

std::set<SiteId> Holders::kept_by_program(const std::vector<SiteId>& sites) {
  size_t best = 0;
  uint64_t most = 0;
  for (size_t i = 0; i < snapshots_.size() && !sites.empty(); ++i) {
    uint64_t bytes = bytes_of(snapshots_[i], buffers_of(snapshots_[i], sites));
    if (bytes < most) continue;
    best = i;
    most = bytes;
  }
  std::set<SiteId> own;
  if (most == 0) return own;
  for (SiteId site : sites) {
    std::vector<uint32_t> buffers = buffers_of(snapshots_[best], {site});
    if (buffers.size() < kFewestBlocks) continue;
    std::vector<Retention> held = holders_of(graph(best), buffers, kLeastShareOfGrowth);
    bool is_most = !held.empty() && held.front().bytes * 2 >= bytes_of(snapshots_[best], buffers);
    if (is_most && is_programs_own(graph(best), held.front())) own.insert(site);
  }
  return own;
}

std::optional<Explanation> Holders::explain_small_objects(const Accumulation& pile) {
  auto graph_of = [this](size_t i) -> const HeapGraph& { return graph(i); };
  auto grown = grown_container(snapshots_, graph_of, pile.bytes);
  if (!grown) return std::nullopt;
  Explanation found = explain_from(grown->snapshot, pile, {grown->buffer});
  bool is_named = !found.holder.text.empty() && found.retention_kind == RetentionKind::python;
  if (!is_named || found.is_in_library) return std::nullopt;
  found.table = grown->site;
  std::string type = grown_type();
  found.why = type.empty() ? sentence("held.small_objects.why")
                           : sentence("held.small_objects_of.why", {{"grown", type}});
  return found;
}

Explanation Holders::explain_from(size_t snapshot, const Accumulation& pile,
                                  const std::vector<uint32_t>& buffers) {
  const HeapGraph& heap = graph(snapshot);
  std::vector<Retention> held = holders_of(heap, buffers, kLeastShareOfGrowth);
  Explanation e;
  if (held.empty()) return e;
  uint64_t all = bytes_of(snapshots_[snapshot], buffers), bounded = 0;
  e.waiting_share = waiting_share_of(held);
  Bound bound;
  for (const Retention& r : held) {
    if (!r.bound.limit) continue;
    bounded += r.bytes;
    bound.length += r.bound.length;
    bound.limit += r.bound.limit;
  }
  if (held.front().bytes * 2 < all) {
    if (auto one = one_holder_of_several(heap, buffers)) held.insert(held.begin(), std::move(*one));
  }
  Retention& most = held.front();
  most.has_grown_since = has_grown_since(snapshots_[snapshot], buffers, pile);
  e.retention_kind = most.retention_kind;
  e.holder = say_holder(heap, most, main_file_);
  e.why = why_held(heap, most);
  e.fix = fix_of_holder(heap, most);
  e.links = links_to(heap, most);
  e.kept = kept_names(heap, most);
  e.clues = kept_clues(heap, most);
  e.key = key_of(heap, most, e.holder);
  e.at_once = most.at_once;
  e.is_most = most.bytes * 2 >= all;
  e.is_in_one_container =
      static_cast<double>(most.bytes) >= kNearlyAllHeld * static_cast<double>(all) && most.point &&
      heap.is_container(most.point);
  e.is_in_library = is_in_library(heap, most.point);
  e.has_lost_references = has_lost_references(heap, most);
  e.is_of_objects = most.retention_kind == RetentionKind::python && !holds_directly(heap, most);
  bool is_bounded = static_cast<double>(bounded) >= kNearlyAllHeld * static_cast<double>(all) &&
                    !pile.is_one_block;
  if (is_bounded) e.bound = bound;
  return e;
}

// The one with most alive: what main() held is gone at the end.
size_t Holders::fullest_snapshot() const {
  size_t at = 0;
  for (size_t i = 1; i < snapshots_.size(); ++i) {
    if (snapshots_[i].header().live_bytes >= snapshots_[at].header().live_bytes) at = i;
  }
  return at;
}

std::string Holders::grown_type() const {
  size_t fullest = fullest_snapshot();
  if (fullest == 0) return "";
  auto count = [](const ledger::Snapshot& s) {
    std::map<std::string_view, const ledger::SnapshotType*> types;
    for (const ledger::SnapshotType& type : s.types()) types[s.string(type.name)] = &type;
    return types;
  };
  auto first = count(snapshots_.front()), last = count(snapshots_[fullest]);
  std::string_view best;
  uint64_t most_bytes = 0, more = 0;
  for (const auto& [name, now] : last) {
    auto was = first.find(name);
    uint64_t bytes = was == first.end() ? 0 : was->second->bytes;
    if (name.empty() || now->bytes <= bytes || now->bytes - bytes <= most_bytes) continue;
    uint64_t before = was == first.end() ? 0 : was->second->count;
    best = name;
    most_bytes = now->bytes - bytes;
    more = now->count > before ? now->count - before : 0;
  }
  return more ? sentence("held.grown_type", {{"count", more}, {"type", best}}) : "";
}

std::optional<HolderSummary> Holders::summary(size_t most, bool is_newest) {
  if (snapshots_.empty()) return std::nullopt;
  size_t at = is_newest ? snapshots_.size() - 1 : fullest_snapshot();
  const HeapGraph& heap = graph(at);
  std::vector<uint32_t> all(snapshots_[at].buffers().size());
  std::iota(all.begin(), all.end(), 0);
  std::erase_if(all, [&](uint32_t i) { return is_object_of_cause(snapshots_[at].buffers()[i]); });
  HolderSummary summary;
  summary.objects = snapshots_[at].header().objects;
  for (uint32_t i : all) summary.all_bytes += snapshots_[at].buffers()[i].bytes;
  summary.unexplained_bytes = unexplained_bytes(heap, all);
  for (const Retention& r : holders_of(heap, all, kLeastShareOfAll)) {
    if (r.retention_kind == RetentionKind::native) summary.native_bytes += r.bytes;
    if (r.retention_kind == RetentionKind::cycle) summary.garbage_bytes += r.bytes;
    if (summary.holders.size() < most)
      summary.holders.push_back(
          {say_holder(heap, r, main_file_).text, block_of(heap, r, at), r.bytes, r.count});
  }
  return summary;
}

WaitingGarbage Holders::garbage_in(size_t snapshot) {
  const HeapGraph& heap = graph(snapshot);
  WaitingGarbage found;
  uint32_t root = garbage_root_of(heap);
  if (root == 0) return found;
  std::vector<uint32_t> waiting;
  auto buffers = snapshots_[snapshot].buffers();
  for (uint32_t i = 0; i < buffers.size(); ++i) {
    bool is_waiting = buffers[i].node != 0 && heap.dominates(root, buffers[i].node);
    if (!is_waiting || is_object_of_cause(buffers[i])) continue;
    waiting.push_back(i);
    WaitingBlocks& of_site = found.sites[buffers[i].site];
    of_site.bytes += buffers[i].bytes;
    ++of_site.count;
    found.bytes += buffers[i].bytes;
  }
  std::set<uint32_t> groups;
  for (uint32_t i : waiting) {
    uint32_t top = buffers[i].node;
    while (heap.tree().parent[top] != root) top = heap.tree().parent[top];
    groups.insert(top);
  }
  found.groups = groups.size();
  std::vector<Retention> held = holders_of(heap, waiting, kLeastShareOfGrowth);
  if (held.empty()) return {};
  found.holder = say_holder(heap, held.front(), main_file_);
  found.fix = fix_of_holder(heap, held.front());
  found.links = links_to(heap, held.front());
  return found;
}

std::optional<Explanation> Holders::explain_by_garbage(const Accumulation& pile) {
  // What the last step made may be in use at the end. Of the objects most may have been young enough to be collected.
  bool is_freed_at_end = pile.bytes_at_end < pile.bytes / kPartLeftAtEnd;
  if (snapshots_.empty() || !is_freed_at_end) return std::nullopt;
  auto waiting = waiting_class(graph(snapshots_.size() - 1));
  if (!waiting || waiting->count * kStepsPerWaitingObject < pile.steps) return std::nullopt;
  // What main() held is garbage when it has returned. While it ran, no collection would have freed it.
  for (size_t i = 0; i + 1 < snapshots_.size(); ++i) {
    if (is_mostly_held(graph(i), waiting->name)) return std::nullopt;
  }
  Explanation e;
  e.retention_kind = RetentionKind::cycle;
  e.holder.text =
      sentence("held.waiting_class.holder", {{"count", waiting->count}, {"type", waiting->name}});
  e.why = sentence("held.waiting_class.why", {{"count", waiting->count}, {"type", waiting->name}});
  e.fix = sentence("held.waiting_class.fix");
  e.key = "garbage:" + waiting->name;
  e.is_most = true;
  return e;
}

WaitingGarbage Holders::worst_garbage(uint64_t least) {
  WaitingGarbage worst;
  for (size_t i = 0; i < snapshots_.size(); ++i) {
    if (waiting_bytes(snapshots_[i]) < least) continue;
    WaitingGarbage found = garbage_in(i);
    if (found.groups >= kFewestGroups && found.bytes > worst.bytes) worst = std::move(found);
  }
  return worst;
}

}  // namespace tenure::analyze
