// A snapshot written by hand: nodes, references and blocks in, the bytes of the format out.
#pragma once
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "ledger/layout.h"
#include "ledger/snapshot_reader.h"

namespace tenure::analyze {

// A code object as the snapshot has it. A constant that is a text or texts has `text`, a code its `number`.
struct BuiltCode {
  struct Variable {
    std::string name;
    uint32_t kind;
  };
  struct Constant {
    ledger::CodeConstant kind;
    std::string text;
    uint32_t number;
  };
  ledger::SnapshotCode head{};
  std::string file, name;
  std::vector<uint8_t> instructions, lines;
  std::vector<std::string> names;
  std::vector<Variable> variables;
  std::vector<Constant> constants;
};

class SnapshotBuilder {
 public:
  SnapshotBuilder() {
    types_.push_back({});
    add(ledger::NodeKind::super_root, "");
  }

  uint32_t add(ledger::NodeKind kind, const std::string& type, const std::string& word = "",
               uint8_t flags = 0) {
    ledger::SnapshotNode node{};
    node.key = 0x1000 + nodes_.size() * 16;
    node.type = type.empty() ? 0 : type_id(type);
    node.word = string(word);
    node.size = 64;
    node.kind = static_cast<uint8_t>(kind);
    node.flags = flags;
    nodes_.push_back(node);
    edges_.emplace_back();
    return static_cast<uint32_t>(nodes_.size()) - 1;
  }

  uint32_t object(const std::string& type, const std::string& word = "") {
    return add(ledger::NodeKind::object, type, word);
  }
  uint32_t users_object(const std::string& type) {
    return add(ledger::NodeKind::object, type, "", ledger::kNodeHasUsersClass);
  }
  uint32_t container(const std::string& type, uint32_t length, uint32_t bound = 0) {
    uint32_t node = object(type);
    nodes_[node].length = length;
    nodes_[node].bound = bound;
    return node;
  }
  uint32_t namespace_of(const std::string& type, const std::string& word = "") {
    return add(ledger::NodeKind::object, type, word, ledger::kNodeIsNamespace);
  }

  // A module of the user's own with its dictionary; gives the dictionary.
  uint32_t module(const std::string& name) {
    uint32_t root = add(ledger::NodeKind::module_root, "module", name,
                        ledger::kNodeIsNamespace | ledger::kNodeIsUsers);
    edge(0, root, "");
    return dict_of(root);
  }
  uint32_t frame(const std::string& word) {
    uint32_t root = add(ledger::NodeKind::frame_root, "", word,
                        ledger::kNodeIsNamespace | ledger::kNodeIsUsers);
    edge(0, root, "");
    return root;
  }
  uint32_t root(ledger::NodeKind kind) {
    uint32_t root = add(kind, "");
    edge(0, root, "");
    return root;
  }
  uint32_t dict_of(uint32_t owner) {
    uint32_t dict = namespace_of("dict");
    edge(owner, dict, ".__dict__");
    return dict;
  }

  void edge(uint32_t from, uint32_t to, const std::string& label) {
    edges_[from].push_back({to, string(label)});
  }

  // An object that owns a block of this site.
  uint32_t array(uint64_t bytes = 1000, uint32_t site = 1,
                 const std::string& type = "numpy.ndarray") {
    uint32_t owner = object(type);
    block(owner, bytes, site);
    return owner;
  }
  void block(uint32_t owner, uint64_t bytes, uint32_t site) {
    uint32_t node = add(ledger::NodeKind::buffer, "");
    edge(owner, node, "");
    buffers_.push_back({node, static_cast<uint32_t>(buffers_.size()), SiteId{site}, 0,
                        0x900000 + buffers_.size() * 0x10000, bytes});
  }
  // An object that an adapter told of: one of many with this cause.
  uint32_t thing(const std::string& type, uint32_t cause) {
    uint32_t owner = object(type);
    block(owner, 1, 0);
    buffers_.back().ordinal = cause;
    return owner;
  }
  void fill(uint32_t list, int items, uint32_t site = 1) {
    for (int i = 0; i < items; ++i) edge(list, array(1000, site), "[" + std::to_string(i) + "]");
  }
  void set_size(uint32_t node, uint32_t size) { nodes_[node].size = size; }
  void count_type(const std::string& type, uint64_t count, uint64_t bytes) {
    ledger::SnapshotType& t = types_[type_id(type)];
    t.count = count;
    t.bytes = bytes;
  }

  void set_python(uint32_t version) { python_ = version; }
  void set_tick(Tick tick) { tick_ = tick; }
  void code(const BuiltCode& code) {
    ledger::SnapshotCode out = code.head;
    out.file = string(code.file);
    out.name = string(code.name);
    out.instructions = add_bytes(code.instructions);
    out.instruction_bytes = static_cast<uint32_t>(code.instructions.size());
    out.lines = add_bytes(code.lines);
    out.line_bytes = static_cast<uint32_t>(code.lines.size());
    out.words = static_cast<uint32_t>(code_words_.size());
    out.names = static_cast<uint32_t>(code.names.size());
    out.variables = static_cast<uint32_t>(code.variables.size());
    out.constants = static_cast<uint32_t>(code.constants.size());
    for (const std::string& name : code.names) code_words_.push_back(string(name));
    for (const auto& [name, kind] : code.variables)
      code_words_.insert(code_words_.end(), {string(name), kind});
    for (const auto& [kind, text, number] : code.constants) {
      uint32_t value = text.empty() ? number : string(text);
      code_words_.insert(code_words_.end(), {static_cast<uint32_t>(kind), value});
    }
    codes_.push_back(out);
  }

  std::vector<char> bytes() const {
    ledger::SnapshotHeader header{};
    std::memcpy(header.magic, ledger::kSnapshotMagic, sizeof header.magic);
    header.version = ledger::kSnapshotVersion;
    header.architecture = ledger::kArchitecture;
    header.python = python_;
    header.tick = tick_;
    std::vector<ledger::SnapshotNode> nodes = nodes_;
    std::vector<uint32_t> targets, labels;
    for (size_t v = 0; v < nodes.size(); ++v) {
      nodes[v].first_edge = static_cast<uint32_t>(targets.size());
      nodes[v].edge_count = static_cast<uint32_t>(edges_[v].size());
      for (const Edge& e : edges_[v]) {
        targets.push_back(e.to);
        labels.push_back(e.label);
      }
    }
    std::vector<char> raw(sizeof header);
    append(raw, header, ledger::SnapshotSection::nodes, nodes);
    append(raw, header, ledger::SnapshotSection::edges, targets);
    append(raw, header, ledger::SnapshotSection::labels, labels);
    append(raw, header, ledger::SnapshotSection::buffers, buffers_);
    append(raw, header, ledger::SnapshotSection::types, types_);
    append(raw, header, ledger::SnapshotSection::strings, strings_);
    append(raw, header, ledger::SnapshotSection::codes, codes_);
    append(raw, header, ledger::SnapshotSection::code_words, code_words_);
    append(raw, header, ledger::SnapshotSection::code_bytes, code_bytes_);
    std::memcpy(raw.data(), &header, sizeof header);
    return raw;
  }

  ledger::Snapshot snapshot() const {
    auto result = ledger::Snapshot::from_bytes(bytes(), "snapshot.1.1");
    if (!result) ADD_FAILURE() << result.error().message;
    return std::move(*result);
  }

 private:
  struct Edge {
    uint32_t to, label;
  };

  uint32_t string(const std::string& text) {
    if (text.empty()) return 0;
    auto [at, is_new] = known_.emplace(text, static_cast<uint32_t>(strings_.size()));
    if (is_new) {
      auto length = static_cast<uint32_t>(text.size());
      const char* bytes = reinterpret_cast<const char*>(&length);
      strings_.insert(strings_.end(), bytes, bytes + sizeof length);
      strings_.insert(strings_.end(), text.begin(), text.end());
      strings_.resize((strings_.size() + 7) / 8 * 8);
    }
    return at->second;
  }

  uint32_t type_id(const std::string& name) {
    auto [at, is_new] = type_ids_.emplace(name, static_cast<uint32_t>(types_.size()));
    if (is_new) types_.push_back({string(name), 0, 0, 0});
    return at->second;
  }

  template <class Record>
  static void append(std::vector<char>& raw, ledger::SnapshotHeader& header,
                     ledger::SnapshotSection section, const std::vector<Record>& records) {
    raw.resize((raw.size() + 7) / 8 * 8);
    header.sections[static_cast<uint32_t>(section)] = {raw.size(), records.size()};
    const char* bytes = reinterpret_cast<const char*>(records.data());
    raw.insert(raw.end(), bytes, bytes + records.size() * sizeof(Record));
  }

  uint32_t add_bytes(const std::vector<uint8_t>& bytes) {
    auto at = static_cast<uint32_t>(code_bytes_.size());
    code_bytes_.insert(code_bytes_.end(), bytes.begin(), bytes.end());
    return at;
  }

  std::vector<ledger::SnapshotNode> nodes_;
  std::vector<std::vector<Edge>> edges_;
  std::vector<ledger::SnapshotBuffer> buffers_;
  std::vector<ledger::SnapshotType> types_;
  std::vector<char> strings_ = std::vector<char>(8);
  std::map<std::string, uint32_t> known_, type_ids_;
  uint32_t python_ = 0;
  Tick tick_ = 0;
  std::vector<ledger::SnapshotCode> codes_;
  std::vector<uint32_t> code_words_;
  std::vector<uint8_t> code_bytes_;
};

}  // namespace tenure::analyze
