// ledger/snapshot_reader.h: a snapshot that can be asked. Everything is checked when it is opened, so that no question can
// lead outside of it; damage is a sentence, never a crash.
// World: offline. Immutable after opening.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ledger/snapshot_layout.h"

namespace tenure::ledger {

class Snapshot {
 public:
  static Result<Snapshot> open(const std::string& path);
  static Result<Snapshot> from_bytes(std::vector<char> raw, const std::string& name);

  const SnapshotHeader& header() const {
    return *reinterpret_cast<const SnapshotHeader*>(raw_.data());
  }
  std::span<const SnapshotNode> nodes() const { return all<SnapshotNode>(SnapshotSection::nodes); }
  std::span<const SnapshotBuffer> buffers() const {
    return all<SnapshotBuffer>(SnapshotSection::buffers);
  }
  std::span<const SnapshotBlock> blocks() const {
    return all<SnapshotBlock>(SnapshotSection::blocks);
  }
  std::span<const SnapshotType> types() const { return all<SnapshotType>(SnapshotSection::types); }

  std::span<const SnapshotCode> codes() const { return all<SnapshotCode>(SnapshotSection::codes); }
  // Names, variables and constants of a code, as SnapshotCode says.
  std::span<const uint32_t> words_of(const SnapshotCode& code) const {
    return all<uint32_t>(SnapshotSection::code_words).subspan(code.words, word_count(code));
  }
  std::span<const uint8_t> instructions_of(const SnapshotCode& code) const {
    return all<uint8_t>(SnapshotSection::code_bytes)
        .subspan(code.instructions, code.instruction_bytes);
  }
  std::span<const uint8_t> lines_of(const SnapshotCode& code) const {
    return all<uint8_t>(SnapshotSection::code_bytes).subspan(code.lines, code.line_bytes);
  }

  // What a node refers to, and the string of each of these references.
  std::span<const uint32_t> targets(uint32_t node) const {
    return part(SnapshotSection::edges, node);
  }
  std::span<const uint32_t> labels(uint32_t node) const {
    return part(SnapshotSection::labels, node);
  }

  std::string_view string(uint32_t id) const;  // empty for an id that is none
  uint64_t string_bytes() const { return all<char>(SnapshotSection::strings).size(); }
  std::string_view type_name(uint32_t node) const;
  std::string_view word(uint32_t node) const { return string(nodes()[node].word); }
  static uint64_t word_count(const SnapshotCode& code) {
    return uint64_t{code.names} + 2 * uint64_t{code.variables} + 2 * uint64_t{code.constants};
  }
  NodeKind kind(uint32_t node) const { return static_cast<NodeKind>(nodes()[node].kind); }

 private:
  template <class Record>
  std::span<const Record> all(SnapshotSection section) const {
    const auto& s = header().sections[static_cast<uint32_t>(section)];
    return {reinterpret_cast<const Record*>(raw_.data() + s.offset), s.count};
  }
  std::span<const uint32_t> part(SnapshotSection section, uint32_t node) const {
    const SnapshotNode& n = nodes()[node];
    return all<uint32_t>(section).subspan(n.first_edge, n.edge_count);
  }

  std::vector<char> raw_;
};

}  // namespace tenure::ledger
