// inproc/snapshot/node_words.h: what the file says about each node: its name, length, bound, and whose it is.
// World: inside, in the snapshot's child. Pure reads.
#pragma once
#include "inproc/snapshot/pruned_graph.h"
#include "inproc/snapshot/text_table.h"
#include "inproc/snapshot/thread_frames.h"

namespace tenure::inproc {

class NodeWords {
 public:
  NodeWords(const HeapApi& api, const PythonReader& reader, HeapGraph& heap,
            TextTable& texts) noexcept;

  // Marks the dicts of modules, classes and instances among the kept nodes. Before describe().
  void mark_namespaces(const PrunedGraph& pruned) noexcept;
  // Everything but the edges.
  ledger::SnapshotNode describe(uint32_t heap_node) noexcept;

 private:
  uint32_t word_of(const HeapNode& node, uint32_t number, uint8_t* flags) noexcept;
  uint32_t module_word(const HeapNode& node, const HeapRoot& root, uint8_t* flags) noexcept;
  uint32_t frame_word(Object code, const HeapRoot* root, uint8_t* flags) noexcept;
  uint32_t function_word(Object function, uint8_t* flags) noexcept;
  uint32_t class_word(Object type, uint8_t* flags) noexcept;
  uint32_t object_word(Object o, uint8_t* flags) noexcept;
  uint32_t text_of(Object str) noexcept;
  bool is_users_code(Object code) const noexcept;
  bool is_users_module(const HeapNode& node, Object name) const noexcept;
  bool is_users_class(Object type) noexcept;
  void note_users_modules() noexcept;
  void mark_namespace(Object dict) noexcept;

  const HeapApi& api_;
  const PythonReader& reader_;
  HeapGraph& heap_;
  TextTable& texts_;
  Column<Object> users_modules_;  // names
  AddressMap classes_;            // type -> 1 if it is the user's
  AddressMap roots_;              // node + 1 -> index in heap_.roots
};

}  // namespace tenure::inproc
