#include "analyze/heap/heap_graph.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "analyze/heap/rules.h"

namespace tenure::analyze {
namespace {

using ledger::NodeKind;
using ledger::SnapshotNode;

constexpr uint32_t kNone = ~0u;

Graph graph_of(const ledger::Snapshot& snapshot) {
  Graph graph;
  auto count = static_cast<uint32_t>(snapshot.nodes().size());
  graph.first.reserve(count + 1);
  graph.first.push_back(0);
  for (uint32_t v = 0; v < count; ++v) {
    auto targets = snapshot.targets(v);
    graph.targets.insert(graph.targets.end(), targets.begin(), targets.end());
    graph.first.push_back(static_cast<uint32_t>(graph.targets.size()));
  }
  return graph;
}

Graph children_of(const DominatorTree& tree) {
  Graph children;
  auto count = static_cast<uint32_t>(tree.parent.size());
  children.first.assign(count + 1, 0);
  for (size_t i = 1; i < tree.preorder.size(); ++i)
    ++children.first[tree.parent[tree.preorder[i]] + 1];
  for (uint32_t v = 0; v < count; ++v) children.first[v + 1] += children.first[v];
  children.targets.resize(children.first[count]);
  std::vector<uint32_t> next(children.first.begin(), children.first.end() - 1);
  for (size_t i = 1; i < tree.preorder.size(); ++i)
    children.targets[next[tree.parent[tree.preorder[i]]]++] = tree.preorder[i];
  return children;
}

bool is_one_of(std::string_view word, std::span<const std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

constexpr std::string_view kContainers[] = {"list",
                                            "dict",
                                            "set",
                                            "tuple",
                                            "frozenset",
                                            "collections.deque",
                                            "collections.OrderedDict",
                                            "collections.defaultdict",
                                            "collections.Counter",
                                            "functools._lru_cache_wrapper",
                                            "bytearray",
                                            "array.array"};

uint32_t price_of_root(const SnapshotNode& node) {
  bool is_users = node.flags & ledger::kNodeIsUsers;
  switch (static_cast<NodeKind>(node.kind)) {
    case NodeKind::module_root:
      return is_users ? 0 : kFarRoot;
    case NodeKind::frame_root:
      return is_users ? 2 : kFarRoot;
    case NodeKind::native_root:
      return kNativeRoot;
    case NodeKind::garbage_root:
      return kGarbageRoot;
    default:
      return kFarRoot;
  }
}

// Names cost little, what only the interpreter follows costs much, as what a statement that runs just now has in hand.
uint32_t price_of_label(std::string_view label) {
  constexpr std::string_view kFar[] = {".__globals__",  ".f_globals",      ".f_back", ".f_builtins",
                                       ".__builtins__", ".__subclasses__", ".?",      "",
                                       " temporary"};
  if (label == ".__dict__" || label == ".cell_contents") return 0;
  if (is_one_of(label, kFar)) return 12;
  if (label.find("`self`") != std::string_view::npos ||
      label.find("`cls`") != std::string_view::npos)
    return 6;
  return 4;
}

// Prices of labels, each found once: a heap has millions of references and few labels.
class LabelPrices {
 public:
  explicit LabelPrices(const ledger::Snapshot& snapshot)
      : snapshot_(snapshot), known_(snapshot.string_bytes() / ledger::kStringStep + 1, kUnknown) {}

  uint32_t of(uint32_t label) {
    if (label / ledger::kStringStep >= known_.size()) return price_of_label("");
    uint8_t& price = known_[label / ledger::kStringStep];
    if (price == kUnknown) price = static_cast<uint8_t>(price_of_label(snapshot_.string(label)));
    return price;
  }

 private:
  static constexpr uint8_t kUnknown = 0xff;
  const ledger::Snapshot& snapshot_;
  std::vector<uint8_t> known_;
};

}  // namespace

HeapGraph::HeapGraph(const ledger::Snapshot& snapshot)
    : snapshot_(snapshot),
      successors_(graph_of(snapshot)),
      predecessors_(reversed(successors_)),
      tree_(dominators(successors_)),
      children_(children_of(tree_)) {
  number_tree();
  find_ways();
  find_data_owners();
}

void HeapGraph::number_tree() {
  enter_.assign(size(), 0);
  leave_.assign(size(), 0);
  std::vector<uint64_t> below(size(), 0);
  for (uint32_t v : tree_.preorder) below[v] = 1;
  tree_.sum_up(below);
  // Children take their stretches of the parent's numbers one after the other.
  std::vector<uint32_t> next(size(), 1);
  leave_[0] = static_cast<uint32_t>(below[0]);
  for (size_t i = 1; i < tree_.preorder.size(); ++i) {
    uint32_t v = tree_.preorder[i], parent = tree_.parent[v];
    enter_[v] = enter_[parent] + next[parent];
    leave_[v] = enter_[v] + static_cast<uint32_t>(below[v]);
    next[parent] += static_cast<uint32_t>(below[v]);
  }
}

// Cheapest ways from the root; prices are small integers, so that buckets serve as the queue.
void HeapGraph::find_ways() {
  reached_from_.assign(size(), kNone);
  std::vector<uint32_t> price(size(), kNone);
  LabelPrices prices(snapshot_);
  std::array<std::vector<uint32_t>, kGarbageRoot + 1> buckets;  // nothing costs more at once
  price[0] = 0;
  buckets[0].push_back(0);
  size_t waiting = 1;
  for (uint32_t now = 0; waiting > 0; ++now) {
    std::vector<uint32_t>& bucket = buckets[now % buckets.size()];
    for (size_t i = 0; i < bucket.size(); ++i) {
      uint32_t v = bucket[i];
      --waiting;
      if (price[v] != now) continue;
      auto targets = snapshot_.targets(v), labels = snapshot_.labels(v);
      // From the last to the first: the frames of a thread come innermost first, and the outermost holds longest.
      for (size_t e = targets.size(); e-- > 0;) {
        uint32_t to = targets[e];
        uint32_t cost =
            now + (v == 0 ? price_of_root(snapshot_.nodes()[to]) : prices.of(labels[e]));
        if (cost >= price[to]) continue;
        price[to] = cost;
        reached_from_[to] = v;
        buckets[cost % buckets.size()].push_back(to);
        ++waiting;
      }
    }
    bucket.clear();
  }
}

void HeapGraph::find_data_owners() {
  is_data_owner_.assign(size(), false);
  for (uint32_t v = 0; v < size(); ++v) {
    if (kind(v) == NodeKind::buffer || is_gradient_node(v)) is_data_owner_[v] = true;
    if (kind(v) != NodeKind::native) continue;
    is_data_owner_[v] = true;
    for (uint32_t owner : referrers(v))
      is_data_owner_[owner] = is_data_owner_[owner] || kind(owner) == NodeKind::object;
  }
  for (const ledger::SnapshotBuffer& buffer : snapshot_.buffers()) {
    is_data_owner_[buffer.node] = true;
    for (uint32_t owner : referrers(buffer.node)) {
      // A list's own table is a block too.
      bool is_object = kind(owner) == NodeKind::object &&
                       !(snapshot_.nodes()[owner].flags & ledger::kNodeIsNamespace);
      if (is_object && !is_container(owner)) is_data_owner_[owner] = true;
    }
  }
  // A view owns nothing, but is as much an array as its base. One pass over all references: to ask for the label of each
  // would look through a long list once per item.
  std::unordered_multimap<uint32_t, uint32_t> views_of;
  for (uint32_t v = 0; v < size(); ++v) {
    auto targets = snapshot_.targets(v), labels = snapshot_.labels(v);
    for (size_t e = 0; e < targets.size(); ++e) {
      if (labels[e] && snapshot_.string(labels[e]) == ".base") views_of.emplace(targets[e], v);
    }
  }
  std::vector<uint32_t> found;
  for (const auto& [base, view] : views_of) {
    if (is_data_owner_[base] && kind(base) == NodeKind::object) found.push_back(base);
  }
  for (size_t i = 0; i < found.size(); ++i) {
    auto [view, end] = views_of.equal_range(found[i]);
    for (; view != end; ++view) {
      if (is_data_owner_[view->second]) continue;
      is_data_owner_[view->second] = true;
      found.push_back(view->second);
    }
  }
}

// "MulBackward0", "AccumulateGrad", and the "ClipBackward" of a Function written in Python.
bool HeapGraph::is_gradient_node(uint32_t node) const {
  if (kind(node) != NodeKind::object && kind(node) != NodeKind::native) return false;
  std::string_view name = type(node);
  while (!name.empty() && name.back() >= '0' && name.back() <= '9') name.remove_suffix(1);
  constexpr std::string_view kEnd = "Backward";
  return name == "AccumulateGrad" ||
         (name.size() > kEnd.size() && name.substr(name.size() - kEnd.size()) == kEnd);
}

bool HeapGraph::dominates(uint32_t above, uint32_t below) const {
  return is_reached(below) && enter_[above] <= enter_[below] && leave_[below] <= leave_[above];
}

std::string_view HeapGraph::label(uint32_t from, uint32_t to) const {
  auto targets = snapshot_.targets(from), labels = snapshot_.labels(from);
  std::string_view found;
  for (size_t e = 0; e < targets.size() && found.empty(); ++e) {
    if (targets[e] == to) found = snapshot_.string(labels[e]);
  }
  return found;
}

std::vector<uint32_t> HeapGraph::way_to(uint32_t node) const {
  std::vector<uint32_t> way;
  for (uint32_t v = node; v != kNone; v = reached_from_[v]) way.push_back(v);
  std::reverse(way.begin(), way.end());
  return way;
}

std::vector<uint32_t> HeapGraph::way_between(uint32_t above, uint32_t below) const {
  std::vector<uint32_t> queue{below};
  std::unordered_map<uint32_t, uint32_t> leads_to{{below, kNone}};
  for (size_t i = 0; i < queue.size() && i < kMostOfWay && !leads_to.contains(above); ++i) {
    for (uint32_t from : referrers(queue[i])) {
      if (dominates(above, from) && leads_to.emplace(from, queue[i]).second) queue.push_back(from);
    }
  }
  if (!leads_to.contains(above)) return {above, below};
  std::vector<uint32_t> way;
  for (uint32_t v = above; v != kNone; v = leads_to[v]) way.push_back(v);
  return way;
}

bool HeapGraph::is_container(uint32_t node) const {
  const SnapshotNode& n = snapshot_.nodes()[node];
  if (n.flags & ledger::kNodeIsNamespace) return false;
  return n.length > 0 || n.bound > 0 || is_one_of(type(node), kContainers);
}

bool HeapGraph::is_internal_container(uint32_t node) const {
  constexpr std::string_view kInner[] = {".__dict__",     ".__closure__",    ".__globals__",
                                         ".__defaults__", ".__kwdefaults__", ".__func__",
                                         ".tb_frame",     ".tb_next",        ".__traceback__"};
  if (kind(node) != NodeKind::object || reached_from_[node] == kNone) return false;
  return type(node) == "cell" || is_one_of(label(reached_from_[node], node), kInner);
}

bool HeapGraph::is_module(uint32_t node) const {
  return kind(node) == NodeKind::module_root || type(node) == "module";
}

bool HeapGraph::is_frame(uint32_t node) const {
  return kind(node) == NodeKind::frame_root || type(node) == "frame";
}

// The only objects that are namespaces and neither a module, nor a frame, nor a dictionary.
bool HeapGraph::is_class(uint32_t node) const {
  return kind(node) == NodeKind::object &&
         snapshot_.nodes()[node].flags & ledger::kNodeIsNamespace && !is_module(node) &&
         !is_frame(node) && type(node) != "dict";
}

bool HeapGraph::is_well_known(uint32_t node) const {
  uint32_t owner = owner_of(node);
  return is_module(owner) || is_frame(owner) || is_class(owner);
}

uint32_t HeapGraph::thread_local_of(uint32_t dict) const {
  if (type(dict) != "dict") return dict;
  for (uint32_t from : referrers(dict)) {
    if (label(from, dict) == " thread-local values") return from;
  }
  return dict;
}

uint32_t HeapGraph::owner_of(uint32_t node) const {
  if (type(node) != "dict") return node;
  for (uint32_t from : referrers(node)) {
    std::string_view text = label(from, node);
    if (text == ".__dict__") return from;
    if (auto holder = thread_local_of(from); holder != from) return holder;
  }
  return node;
}

bool HeapGraph::is_users(uint32_t space) const {
  if (snapshot_.nodes()[owner_of(space)].flags &
      (ledger::kNodeIsUsers | ledger::kNodeHasUsersClass))
    return true;
  if (!is_internal_container(space)) return false;  // a cell, defaults: whose function is it
  uint32_t above = reached_from_[space];
  for (int i = 0; i < 3 && above != kNone; ++i, above = reached_from_[above])
    if (type(above) == "function") return snapshot_.nodes()[above].flags & ledger::kNodeIsUsers;
  return false;
}

bool HeapGraph::is_namespace(uint32_t node) const {
  switch (kind(node)) {
    case NodeKind::super_root:
    case NodeKind::module_root:
    case NodeKind::frame_root:
      return true;
    case NodeKind::object:
      break;
    default:
      return false;
  }
  if (snapshot_.nodes()[node].flags & ledger::kNodeIsNamespace) return true;
  return !is_data_owner(node) && (is_internal_container(node) || !is_container(node));
}

}  // namespace tenure::analyze
