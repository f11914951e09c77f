// inproc/snapshot/edge_labels.h: what a person would call the step from one object to the next: "['losses']", ".cache",
// " local `batch`", "[12]". docs/snapshot-format.md lists the forms.
// World: inside, in the snapshot's child. Pure reads: no repr(), no getter, no bytecode.
#pragma once
#include "inproc/snapshot/pruned_graph.h"
#include "inproc/snapshot/text_table.h"
#include "inproc/snapshot/thread_frames.h"

namespace tenure::inproc {

// The children of one object whose labels are wanted, by address.
class WantedLabels {
 public:
  static constexpr int kMost = 64;

  void clear() noexcept;
  void want(Object child, uint32_t edge) noexcept;
  bool is_full() const noexcept { return wanted_ == kMost; }
  bool is_done() const noexcept { return left_ == 0; }
  // The slot of a child that is wanted and has no label yet, or nullptr.
  struct Slot {
    Object child;
    uint32_t edge;
    uint32_t label;  // 0: none yet
  };
  Slot* open(Object child) noexcept;
  void close(Slot* slot, uint32_t label) noexcept;
  template <class F>
  void each(F f) noexcept {
    for (Slot& slot : slots_) {
      if (slot.child) f(slot);
    }
  }

 private:
  static constexpr int kSlots = 256;
  Slot* find(Object child) noexcept;
  Slot slots_[kSlots] = {};
  int wanted_ = 0;
  int left_ = 0;
};

class EdgeLabels {
 public:
  EdgeLabels(const HeapApi& api, const HeapGraph& heap, TextTable& texts) noexcept
      : api_(api), heap_(heap), texts_(texts) {}

  // labels[i] belongs to pruned.edges[i].
  void write(const PrunedGraph& pruned, Column<uint32_t>& labels) noexcept;

 private:
  Object object(const PrunedGraph& pruned, uint32_t node) const noexcept;
  void note_closures(const PrunedGraph& pruned) noexcept;
  void collect(const PrunedGraph& pruned, uint32_t node) noexcept;
  void label(Object o) noexcept;
  void label_context(Object node) noexcept;
  void label_known_type(Object o) noexcept;
  void label_dict(Object dict) noexcept;
  bool label_entries(Object dict, bool with_private_names) noexcept;
  bool is_private_name(Object key) const noexcept;
  void label_items(Object sequence, uint64_t flags) noexcept;
  void label_closure(Object tuple, Object code) noexcept;
  void label_frame(Object frame) noexcept;
  void label_function(Object function) noexcept;
  void label_error(Object error) noexcept;
  void label_class(Object type) noexcept;
  void label_array(Object array) noexcept;
  void label_deque(Object deque) noexcept;
  void label_members(Object o) noexcept;
  void label_attributes(Object o) noexcept;
  void add_key(ShortText& text, Object key, int depth) const noexcept;
  void name(Object child, const char* label) noexcept;
  void name_quoted(Object child, const char* before, Object str, const char* after) noexcept;
  void name_numbered(Object child, int64_t index) noexcept;

  const HeapApi& api_;
  const HeapGraph& heap_;
  TextTable& texts_;
  WantedLabels wanted_;
  AddressMap closures_;  // tuple of cells -> index of its function's code in codes_
  Column<Object> codes_;
};

}  // namespace tenure::inproc
