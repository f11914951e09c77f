#include "analyze/heap/small_views.h"

#include <optional>
#include <unordered_set>
#include <vector>

#include "analyze/heap/rules.h"

namespace tenure::analyze {
namespace {

using ledger::NodeKind;

class ViewsOfBlock {
 public:
  explicit ViewsOfBlock(const HeapGraph& heap) : heap_(heap) {}

  // Bytes that the outermost of them show; nothing where one is not known to be a view.
  std::optional<uint64_t> shown(uint32_t block) {
    queue_.push_back(block);
    for (size_t i = 0; i < queue_.size(); ++i) {
      if (queue_.size() > kMostViews) return std::nullopt;
      bool is_kept = follow(queue_[i]);
      if (!is_kept) continue;
      std::optional<uint64_t> bytes = shown_by(queue_[i]);
      if (!bytes) return std::nullopt;
      all_ += *bytes;
      has_view_ = true;
    }
    return has_view_ ? std::optional(all_) : std::nullopt;
  }

 private:
  // Whether anything but a view of it refers to the node. A tensor's Python object may be kept by the tensor itself.
  bool follow(uint32_t node) {
    bool is_kept = false;
    for (uint32_t from : heap_.referrers(node)) {
      if (from != node && heap_.dominates(node, from)) continue;
      if (!leads_data(from, node))
        is_kept = true;
      else if (known_.insert(from).second)
        queue_.push_back(from);
    }
    return is_kept;
  }

  // Shows what the node shows, or a part of it.
  bool leads_data(uint32_t from, uint32_t node) const {
    if (heap_.kind(node) == NodeKind::buffer) return true;
    if (heap_.kind(from) == NodeKind::native)
      return heap_.kind(node) == NodeKind::native && !heap_.is_gradient_node(from);
    if (is_memoryview(from)) return true;
    bool is_plain = heap_.kind(from) != NodeKind::object || heap_.is_container(from) ||
                    heap_.is_namespace(from);
    return !is_plain && heap_.label(from, node) == ".base";
  }

  bool is_memoryview(uint32_t node) const {
    return heap_.type(node) == "memoryview" || heap_.type(node) == "managedbuffer";
  }

  // Nodes of arrays, memoryviews and torch's tensors count the bytes they show.
  std::optional<uint64_t> shown_by(uint32_t node) const {
    uint64_t size = heap_.snapshot().nodes()[node].size;
    bool is_tensor = heap_.kind(node) == NodeKind::native && size > 0;
    bool is_view = is_tensor || has_base(node) || heap_.type(node) == "memoryview";
    return is_view ? std::optional(size) : std::nullopt;
  }

  bool has_base(uint32_t node) const {
    if (heap_.kind(node) != NodeKind::object || heap_.is_container(node)) return false;
    for (uint32_t label : heap_.snapshot().labels(node)) {
      if (label && heap_.snapshot().string(label) == ".base") return true;
    }
    return false;
  }

  const HeapGraph& heap_;
  std::vector<uint32_t> queue_;
  std::unordered_set<uint32_t> known_;
  uint64_t all_ = 0;
  bool has_view_ = false;
};

}  // namespace

bool is_kept_by_small_views(const HeapGraph& heap, uint32_t block, uint64_t bytes) {
  std::optional<uint64_t> shown = ViewsOfBlock(heap).shown(block);
  return shown && *shown * kLeastOfViews <= bytes;
}

}  // namespace tenure::analyze
