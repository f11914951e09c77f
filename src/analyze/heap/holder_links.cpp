#include "analyze/heap/holder_links.h"

#include "analyze/heap/cycle.h"
#include "analyze/heap/holder_path.h"

namespace tenure::analyze {
namespace {

// What has names: its own name where there is one of it, else its type.
std::string owner_name(const HeapGraph& heap, uint32_t owner) {
  std::string word(heap.snapshot().word(owner));
  bool is_one = heap.is_class(owner) || heap.is_module(owner) || heap.is_frame(owner);
  return short_type(is_one && !word.empty() ? word : std::string(heap.type(owner)));
}

std::string root_word(const HeapGraph& heap, uint32_t root) {
  if (heap.kind(root) == ledger::NodeKind::native_root) return "native";
  return std::string(heap.snapshot().word(root));
}

// What the module `atexit` stands for is kept by the interpreter, under no name.
bool is_exit_callback(const HeapGraph& heap, uint32_t from, const Label& label) {
  return label.kind == LabelKind::none && heap.is_module(from) &&
         heap.snapshot().word(from) == "atexit";
}

HolderLink link_between(const HeapGraph& heap, uint32_t from, uint32_t to) {
  std::string type(heap.type(to));
  if (from == 0) return {"", root_word(heap, to), type, false, false};
  Label label = parse_label(heap.label(from, to));
  if (is_exit_callback(heap, from, label)) return {"", "exit-callback", type, false, false};
  uint32_t owner = heap.owner_of(from);
  bool is_name = label.kind == LabelKind::attribute || label.kind == LabelKind::local ||
                 (label.kind == LabelKind::key && owner != from);
  return {is_name ? owner_name(heap, owner) : "", label.name, type, false,
          is_name && heap.is_class(owner)};
}

void add(const HeapGraph& heap, const std::vector<uint32_t>& way, std::vector<HolderLink>& links) {
  for (size_t i = 1; i < way.size(); ++i) {
    bool is_names_only = heap.owner_of(way[i]) != way[i];  // the `__dict__` of something
    if (!is_names_only) links.push_back(link_between(heap, way[i - 1], way[i]));
  }
}

}  // namespace

std::vector<HolderLink> links_to(const HeapGraph& heap, const Retention& retention) {
  std::vector<HolderLink> links;
  if (retention.retention_kind == RetentionKind::cycle) {
    std::vector<uint32_t> cycle = find_cycle(heap, retention);
    if (!cycle.empty()) cycle.push_back(cycle.front());
    add(heap, cycle, links);
    return links;
  }
  add(heap, way_above(heap, retention), links);
  if (!links.empty()) links.back().is_point = true;
  if (is_in_threads(heap, retention)) links.front().name = "threads";
  bool leads_on = !retention.down.empty() && retention.down[0] != 0;
  if (leads_on) add(heap, retention.down, links);
  return links;
}

}  // namespace tenure::analyze
