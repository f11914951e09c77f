#include "analyze/heap/retention.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "analyze/heap/common_container.h"
#include "analyze/heap/holder_path.h"
#include "analyze/heap/rules.h"
#include "analyze/heap/small_views.h"
#include "base/whole.h"

namespace tenure::analyze {
namespace {

using ledger::NodeKind;

// The blocks that are asked for, and what each node dominates of them.
class Asked {
 public:
  Asked(const HeapGraph& heap, std::span<const uint32_t> buffers)
      : heap_(heap), bytes_(heap.size(), 0), blocks_(heap.size(), 0) {
    for (uint32_t i : buffers) {
      const ledger::SnapshotBuffer& buffer = heap.snapshot().buffers()[i];
      if (!heap.is_reached(buffer.node) || buffer.node == 0) continue;
      if (bytes_[buffer.node] == 0) nodes_.push_back(buffer.node);
      bytes_[buffer.node] += buffer.bytes;
      blocks_[buffer.node] = 1;
    }
    own_ = bytes_;
    heap.tree().sum_up(bytes_);
    heap.tree().sum_up(blocks_);
  }

  uint64_t below(uint32_t node) const { return bytes_[node]; }
  uint64_t blocks_below(uint32_t node) const { return blocks_[node]; }
  uint64_t own(uint32_t node) const { return own_[node]; }
  const std::vector<uint32_t>& nodes() const { return nodes_; }

  std::vector<uint32_t> nodes_below(uint32_t node) const {
    std::vector<uint32_t> found;
    std::copy_if(nodes_.begin(), nodes_.end(), std::back_inserter(found),
                 [&](uint32_t n) { return heap_.dominates(node, n); });
    return found;
  }

 private:
  const HeapGraph& heap_;
  std::vector<uint64_t> bytes_, blocks_, own_;
  std::vector<uint32_t> nodes_;
};

class HolderFinder {
 public:
  HolderFinder(const HeapGraph& heap, const Asked& asked, double least_share)
      : heap_(heap),
        asked_(asked),
        least_(whole(least_share * static_cast<double>(asked.below(0)))) {}

  std::vector<Retention> find() {
    split(0);
    std::sort(found_.begin(), found_.end(),
              [](const Retention& a, const Retention& b) { return a.bytes > b.bytes; });
    return std::move(found_);
  }

  std::optional<Retention> find_one_of_several() const {
    auto common = common_container(heap_, asked_.nodes());
    if (!common) return std::nullopt;
    Retention r;
    r.point = common->node;
    r.count = common->blocks.size();
    for (uint32_t block : common->blocks) r.bytes += asked_.own(block);
    r.down = heap_.way_between(common->node, common->blocks[r.count / 2]);
    r.retention_kind = retention_kind_of(common->node, {});
    r.bound = bound_of(common->node);
    r.attribute = attribute_of(common->node);
    return r;
  }

 private:
  // A namespace is no answer: each name in it is one, and so is each set of names that hold together.
  void split(uint32_t space) {
    std::vector<uint32_t> small;
    for (uint32_t child : heap_.dominated_by(space)) {
      uint64_t bytes = asked_.below(child);
      if (bytes == 0) continue;
      if (bytes >= std::max<uint64_t>(least_, 1) && has_own_name(space, child))
        descend(child);
      else
        small.push_back(child);
    }
    add_sets_of_names(small);
  }

  // Whether a person would name this child; otherwise it is one of many that the same names hold, told together.
  bool has_own_name(uint32_t space, uint32_t child) const {
    if (heap_.kind(child) == NodeKind::native) return false;  // C++: the objects above have names
    if (heap_.kind(child) != NodeKind::object || !heap_.label(space, child).empty()) return true;
    if (asked_.below(child) * 2 > asked_.below(space)) return true;
    if (heap_.is_data_owner(child)) return false;
    auto referrers = heap_.referrers(child);
    return std::any_of(referrers.begin(), referrers.end(), [&](uint32_t from) {
      return heap_.is_well_known(from) && !heap_.dominates(child, from);
    });
  }

  void descend(uint32_t top) {
    std::vector<uint32_t> chain{top};
    uint64_t enough = whole(kMostOfBytes * static_cast<double>(asked_.below(top)));
    while (auto next = heaviest_child(chain.back(), enough)) chain.push_back(*next);
    if (cut_repeats(chain)) return add(chain.back());
    size_t last = chain.size();  // the last that is no tensor
    while (last > 0 && heap_.is_data_owner(chain[last - 1])) --last;
    if (last == 0) return add(top);
    uint32_t end = chain[last - 1];
    if (!heap_.is_namespace(end)) return add_alike(end);
    if (last < chain.size()) return add(chain[last]);  // a tensor with a name
    size_t before = found_.size();
    split(end);
    if (found_.size() == before) add(end);
  }

  std::optional<uint32_t> heaviest_child(uint32_t node, uint64_t enough) const {
    for (uint32_t child : heap_.dominated_by(node)) {
      if (asked_.below(child) >= std::max<uint64_t>(enough, 1)) return child;
    }
    return std::nullopt;
  }

  // A linked list: every element dominates the rest. Its head is what it hangs from. False: it is none.
  bool cut_repeats(std::vector<uint32_t>& chain) const {
    std::map<std::pair<std::string_view, std::string_view>, std::vector<size_t>> seen;
    for (size_t i = 1; i < chain.size(); ++i) {
      std::string_view label = heap_.label(chain[i - 1], chain[i]);
      if (label.empty() || label == ".__dict__") continue;
      std::vector<size_t>& places = seen[{label, heap_.type(chain[i])}];
      places.push_back(i);
      if (places.size() < kLongestRepeat) continue;
      chain.resize(std::max<size_t>(1, places.front()));
      return true;
    }
    return false;
  }

  void add(uint32_t point) {
    Retention r;
    r.point = point;
    r.bytes = asked_.below(point);
    std::vector<uint32_t> blocks = asked_.nodes_below(point);
    r.count = blocks.size();
    if (!blocks.empty()) r.down = heap_.way_between(point, blocks[blocks.size() / 2]);
    r.retention_kind = retention_kind_of(point, blocks);
    r.bound = bound_around(point, blocks);
    r.attribute = attribute_of(point);
    if (!heap_.is_container(point) && !blocks.empty())
      r.at_once = containers_above(point, blocks[blocks.size() / 2]);
    found_.push_back(std::move(r));
  }

  // ---- the same attribute of several objects

  // "Linear.activations" for a container that is an attribute of an object; empty otherwise.
  std::string attribute_of(uint32_t node) const {
    if (!heap_.is_container(node)) return "";
    for (uint32_t from : heap_.referrers(node)) {
      uint32_t owner = heap_.owner_of(from);
      if (heap_.kind(owner) != NodeKind::object || heap_.is_well_known(owner)) continue;
      Label label = parse_label(heap_.label(from, node));
      bool is_key = label.kind == LabelKind::key && owner != from;
      if (is_key || label.kind == LabelKind::attribute)
        return short_type(heap_.type(owner)) + "." + label.name;
    }
    return "";
  }

  // Up from the block to below the top.
  std::vector<std::string> containers_above(uint32_t top, uint32_t block) const {
    std::set<std::string> found;
    std::vector<uint32_t> queue{block};
    std::unordered_set<uint32_t> is_known{block};
    for (size_t i = 0; i < queue.size() && i < kMostReferrers; ++i) {
      for (uint32_t from : heap_.referrers(queue[i])) {
        if (from == top || !heap_.dominates(top, from) || !is_known.insert(from).second) continue;
        queue.push_back(from);
        if (heap_.is_container(from))
          found.insert(key_of_container(heap_, from, attribute_of(from)));
      }
    }
    return {found.begin(), found.end()};
  }

  using Containers = std::map<uint32_t, size_t>;  // with their blocks

  // The nearest containers in attributes above the blocks, by what they are called.
  std::map<std::string, Containers> containers_below(uint32_t top) const {
    std::map<std::string, Containers> found;
    std::unordered_map<uint32_t, std::string> known;
    for (uint32_t block : asked_.nodes_below(top)) {
      for (uint32_t v = heap_.tree().parent[block]; v != top && v != 0;
           v = heap_.tree().parent[v]) {
        auto [at, is_new] = known.try_emplace(v);
        if (is_new) at->second = attribute_of(v);
        if (at->second.empty()) continue;
        ++found[at->second][v];
        break;
      }
    }
    return found;
  }

  // Layers that each fill a list of their own are told by that list, not by the model that holds them all.
  void add_alike(uint32_t top) {
    for (const auto& [name, containers] : containers_below(top)) {
      size_t blocks = 0;
      uint64_t bytes = 0;
      uint32_t fullest = containers.begin()->first;
      for (const auto& [node, count] : containers) {
        blocks += count;
        bytes += asked_.below(node);
        if (asked_.below(node) > asked_.below(fullest)) fullest = node;
      }
      bool is_few = containers.size() >= 2 && containers.size() <= kMostAlike &&
                    blocks >= kFewestEach * containers.size();
      if (!is_few ||
          static_cast<double>(bytes) < kMostOfBytes * static_cast<double>(asked_.below(top)))
        continue;
      add(fullest);
      found_.back().bytes = bytes;
      found_.back().count = blocks;
      found_.back().alike = static_cast<uint32_t>(containers.size());
      return;
    }
    add(top);
  }

  // The nodes that every way down must pass.
  std::vector<uint32_t> way_down(uint32_t from, uint32_t to) const {
    std::vector<uint32_t> way{to};
    while (way.back() != from && way.back() != 0) way.push_back(heap_.tree().parent[way.back()]);
    std::reverse(way.begin(), way.end());
    return way;
  }

  // ---- sets of names

  void add_sets_of_names(const std::vector<uint32_t>& tops) {
    for (bool is_fine : {true, false}) {
      std::map<std::string, Retention> sets;
      uint64_t all = 0, biggest = 0;
      frames_of_set_.clear();
      for (size_t i = 0; i < tops.size() && i < kMostSampled; ++i) {
        add_to_set(tops[i], is_fine, sets);
        all += asked_.below(tops[i]);
      }
      for (const auto& [key, set] : sets) biggest = std::max(biggest, set.bytes);
      // Items that each have a holder of their own are alike in what their holders are called.
      if (is_fine && biggest * kFineSetPart < all) continue;
      for (auto& [key, set] : sets) {
        if (set.bytes >= least_ && !set.together.empty()) found_.push_back(std::move(set));
      }
      return;
    }
  }

  void add_to_set(uint32_t top, bool is_fine, std::map<std::string, Retention>& sets) {
    bool passes_graph = false;
    std::vector<NamedReference> names = heap_.kind(top) == NodeKind::frame_root
                                            ? variables_of(top)
                                            : names_holding(top, &passes_graph);
    prefer_users_names(names);
    std::vector<std::string> keys;
    keys.reserve(names.size());
    for (const NamedReference& name : names) keys.push_back(key_of(name, top, is_fine));
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    std::string all;
    for (const std::string& key : keys) all += key + "\n";
    Retention& set = sets[all];
    if (!names.empty() && heap_.kind(names[0].space) == NodeKind::frame_root) {
      frames_of_set_[all].insert(names[0].space);
      set.alike = static_cast<uint32_t>(frames_of_set_[all].size());
    }
    if (set.count == 0) {
      for (const NamedReference& name : names) {
        if (set.attribute.empty()) set.attribute = attribute_of(name.node);
      }
      set.together = std::move(names);
      std::vector<uint32_t> blocks = asked_.nodes_below(top);
      if (!blocks.empty()) set.at_once = containers_above(heap_.tree().parent[top], blocks[0]);
      if (!blocks.empty()) set.down = heap_.way_between(top, blocks[0]);
      set.retention_kind = retention_kind_of(top, blocks);
      if (set.retention_kind == RetentionKind::python && passes_graph)
        set.retention_kind = RetentionKind::gradients;
    }
    set.bytes += asked_.below(top);
    set.count += asked_.blocks_below(top);
  }

  // A frame of one of many threads has names, and needs none.
  std::vector<NamedReference> variables_of(uint32_t frame) const {
    std::vector<NamedReference> names;
    for (uint32_t child : heap_.dominated_by(frame)) {
      if (asked_.below(child) > 0 && names.size() < kMostNames) names.push_back({frame, child});
    }
    return names;
  }

  // The user's own names say more than what a library calls the same thing.
  void prefer_users_names(std::vector<NamedReference>& names) const {
    auto is_users = [&](const NamedReference& name) { return heap_.is_users(name.space); };
    auto is_native = [&](const NamedReference& name) {
      return heap_.kind(name.space) == NodeKind::native_root;
    };
    if (!std::all_of(names.begin(), names.end(), is_native)) std::erase_if(names, is_native);
    if (std::any_of(names.begin(), names.end(), is_users))
      std::erase_if(names, [&](const NamedReference& name) { return !is_users(name); });
  }

  // "watch() of jobs.py", whichever thread it runs in.
  std::string function_of_frame(uint32_t frame) const {
    std::string_view word = heap_.snapshot().word(frame);
    return std::string(word.substr(0, word.find(", ")));
  }

  // The same holder for many items, or holders that are called the same.
  std::string key_of(const NamedReference& name, uint32_t top, bool is_fine) const {
    if (is_fine && name.node != top) return std::to_string(name.node);
    std::string key(heap_.label(name.space, name.node));
    bool is_unique = heap_.kind(name.space) != NodeKind::object;
    bool is_of_thread = heap_.kind(name.space) == NodeKind::frame_root;
    if (is_of_thread) return key + function_of_frame(name.space);  // of one of many threads
    if (is_unique) return key + std::to_string(name.space);
    return key + std::string(heap_.type(name.space)) + std::string(heap_.type(name.node));
  }

  // Names of plain objects of a library have other names above them.
  bool is_inside_library(uint32_t space) const {
    return heap_.kind(space) == NodeKind::object && !heap_.is_well_known(space) &&
           !heap_.is_users(space);
  }

  // Back from a node to the nearest names, on through objects of libraries; and whether a gradient graph is on the way.
  std::vector<NamedReference> names_holding(uint32_t top, bool* passes_graph) const {
    std::vector<NamedReference> names;
    std::vector<uint32_t> queue{top};
    std::unordered_set<uint32_t> is_known{top};
    for (size_t i = 0; i < queue.size() && i < kMostReferrers && names.size() < kMostNames; ++i) {
      for (uint32_t from : heap_.referrers(queue[i])) {
        if (heap_.dominates(top, from) || !heap_.is_reached(from)) continue;
        bool is_root =
            heap_.kind(from) == NodeKind::native_root || heap_.kind(from) == NodeKind::garbage_root;
        bool is_name = heap_.is_namespace(from) || is_root;
        if (is_name && names.size() < kMostNames) names.push_back({from, queue[i]});
        if ((!is_name || is_inside_library(from)) && is_known.insert(from).second)
          queue.push_back(from);
        *passes_graph |= heap_.is_gradient_node(from);
      }
    }
    return names;
  }

  // ---- retention_kind

  RetentionKind retention_kind_of(uint32_t point, const std::vector<uint32_t>& blocks) const {
    std::vector<uint32_t> above = heap_.way_to(point);
    auto passes = [&](NodeKind kind) {
      return std::any_of(above.begin(), above.end(),
                         [&](uint32_t v) { return heap_.kind(v) == kind; });
    };
    if (passes(NodeKind::garbage_root)) return RetentionKind::cycle;
    if (heap_.kind(point) == NodeKind::native_root) return RetentionKind::native;
    if (heap_.is_data_owner(point) && passes(NodeKind::native_root)) return RetentionKind::native;
    if (std::any_of(above.begin(), above.end(),
                    [&](uint32_t v) { return is_stored_frame(v) && !is_of_cancelled_task(v); }))
      return RetentionKind::frame;
    size_t frames = 0, views = 0, graphs = 0, looked = 0;
    size_t stride = std::max<size_t>(1, blocks.size() / 64);
    for (size_t i = 0; i < blocks.size(); i += stride, ++looked) {
      std::vector<uint32_t> way = way_down(point, blocks[i]);
      frames += is_held_by_frames_only(point, blocks[i]);
      views += is_kept_by_small_views(heap_, blocks[i], asked_.own(blocks[i]));
      graphs += std::any_of(way.begin(), way.end(),
                            [&](uint32_t v) { return heap_.is_gradient_node(v); });
    }
    if (looked > 0 && frames * 2 > looked) return RetentionKind::frame;
    if (looked > 0 && graphs * 2 > looked) return RetentionKind::gradients;
    if (looked > 0 && views * 2 > looked) return RetentionKind::view;
    return RetentionKind::python;
  }

  // Whether every way down passes a stored frame. Functions that hand a tensor on have it in each of their frames, so no
  // frame alone needs to be on all of them.
  bool is_held_by_frames_only(uint32_t point, uint32_t block) const {
    std::vector<uint32_t> queue{block};
    std::unordered_set<uint32_t> is_known{block};
    bool has_frame = false;
    for (size_t i = 0; i < queue.size(); ++i) {
      for (uint32_t from : heap_.referrers(queue[i])) {
        bool is_frame = is_stored_frame(from) && !is_of_cancelled_task(from);
        has_frame |= is_frame;
        if (is_frame || !heap_.dominates(point, from)) continue;
        if (from == point || queue.size() >= kMostReferrers) return false;
        if (is_known.insert(from).second) queue.push_back(from);
      }
    }
    return has_frame;
  }

  bool is_stored_frame(uint32_t node) const {
    if (heap_.kind(node) != NodeKind::object) return false;
    if (heap_.type(node) == "frame") return !is_suspended(node);
    return heap_.type(node) == "traceback";
  }

  // Up to 3.10 a generator or a coroutine that waits has a frame object, which is a part of it.
  bool is_suspended(uint32_t frame) const {
    auto referrers = heap_.referrers(frame);
    return std::any_of(referrers.begin(), referrers.end(), [&](uint32_t from) {
      std::string_view type = heap_.type(from);
      return type == "generator" || type == "coroutine" || type == "async_generator";
    });
  }

  // When a loop ends, it cancels the tasks that are left, and each gets a traceback of the frames that its coroutine kept
  // alive until then: what piled up is tasks. Up from the frame to the exception, and on to its task.
  bool is_of_cancelled_task(uint32_t frame) const {
    std::vector<uint32_t> queue{frame};
    for (size_t i = 0; i < queue.size() && i < kMostReferrers; ++i) {
      for (uint32_t from : heap_.referrers(queue[i])) {
        bool is_new = std::find(queue.begin(), queue.end(), from) == queue.end();
        if (is_stored_frame(from) && is_new) queue.push_back(from);
        if (short_type(heap_.type(from)) == "CancelledError" && is_of_task(from)) return true;
      }
    }
    return false;
  }

  bool is_of_task(uint32_t exception) const {
    auto referrers = heap_.referrers(exception);
    return std::any_of(referrers.begin(), referrers.end(), [&](uint32_t from) {
      std::string type = short_type(heap_.type(from));
      return type == "Task" || type == "Future";
    });
  }

  // ---- bounds

  Bound bound_of(uint32_t node) const {
    const ledger::SnapshotNode& n = heap_.snapshot().nodes()[node];
    return n.bound >= n.length ? Bound{n.length, n.bound} : Bound{};
  }

  // The point has a bound, or the cache whose table it is; or a few bounded containers below hold all of it.
  Bound bound_around(uint32_t point, const std::vector<uint32_t>& blocks) const {
    uint32_t above = heap_.tree().parent[point];
    if (Bound own = bound_of(point); own.limit) return own;
    if (Bound caches = bound_of(above); caches.limit && heap_.type(above) == kCacheType)
      return caches;
    std::unordered_map<uint32_t, size_t> held;
    for (uint32_t block : blocks) {
      for (uint32_t v = heap_.tree().parent[block]; v != point && v != 0;
           v = heap_.tree().parent[v]) {
        if (!bound_of(v).limit) continue;
        ++held[v];
        break;
      }
    }
    size_t all = 0;
    Bound sum;
    for (const auto& [node, count] : held) {
      if (count < 8) continue;
      all += count;
      sum.length += bound_of(node).length;
      sum.limit += bound_of(node).limit;
    }
    return held.size() <= 8 && all * 4 >= blocks.size() * 3 && all > 0 ? sum : Bound{};
  }

  const HeapGraph& heap_;
  const Asked& asked_;
  uint64_t least_;
  std::vector<Retention> found_;
  std::map<std::string, std::set<uint32_t>> frames_of_set_;
};

}  // namespace

bool is_in_threads(const HeapGraph& heap, const Retention& r) {
  return !r.point && r.alike > 1 && !r.together.empty() &&
         heap.kind(r.together[0].space) == NodeKind::frame_root;
}

std::string key_of_container(const HeapGraph& heap, uint32_t node, const std::string& attribute) {
  return attribute.empty() ? fmt::format("{:x}", heap.snapshot().nodes()[node].key) : attribute;
}

std::vector<Retention> holders_of(const HeapGraph& heap, std::span<const uint32_t> buffers,
                                  double least_share) {
  Asked asked(heap, buffers);
  return HolderFinder(heap, asked, least_share).find();
}

std::vector<uint32_t> way_above(const HeapGraph& heap, const Retention& retention) {
  if (retention.point) return heap.way_to(retention.point);
  if (retention.together.empty()) return {};
  std::vector<uint32_t> way = heap.way_to(retention.together[0].space);
  way.push_back(retention.together[0].node);
  return way;
}

std::optional<Retention> one_holder_of_several(const HeapGraph& heap,
                                               std::span<const uint32_t> buffers) {
  Asked asked(heap, buffers);
  return HolderFinder(heap, asked, 0).find_one_of_several();
}

uint64_t unexplained_bytes(const HeapGraph& heap, std::span<const uint32_t> buffers) {
  uint64_t bytes = 0;
  for (uint32_t i : buffers) {
    const ledger::SnapshotBuffer& buffer = heap.snapshot().buffers()[i];
    if (buffer.node == 0 || !heap.is_reached(buffer.node)) bytes += buffer.bytes;
  }
  return bytes;
}

}  // namespace tenure::analyze
