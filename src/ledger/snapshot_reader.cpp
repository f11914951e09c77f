#include "ledger/snapshot_reader.h"

#include <fmt/core.h>

#include <cstring>

#include "ledger/image.h"

namespace tenure::ledger {
namespace {

constexpr uint64_t kRecordBytes[kSnapshotSections] = {sizeof(SnapshotNode),  sizeof(uint32_t),
                                                      sizeof(uint32_t),      sizeof(SnapshotBuffer),
                                                      sizeof(SnapshotType),  1,
                                                      sizeof(SnapshotBlock), sizeof(SnapshotCode),
                                                      sizeof(uint32_t),      1};

// What is wrong with the sections as a whole; nullptr: nothing.
const char* fault_of_sections(const SnapshotHeader& h, uint64_t size) {
  for (uint32_t s = 0; s < kSnapshotSections; ++s) {
    const auto& section = h.sections[s];
    if (section.offset % 8 != 0 || section.offset > size ||
        section.count > (size - section.offset) / kRecordBytes[s])
      return "a section lies outside of it";
  }
  auto count = [&](SnapshotSection s) { return h.sections[static_cast<uint32_t>(s)].count; };
  if (count(SnapshotSection::nodes) == 0) return "it has no root";
  if (count(SnapshotSection::nodes) > UINT32_MAX || count(SnapshotSection::edges) > UINT32_MAX)
    return "it has more nodes than can be counted";
  if (count(SnapshotSection::edges) != count(SnapshotSection::labels))
    return "its references and their names are not equally many";
  return nullptr;
}

// What is wrong inside the sections, which are known to lie within the file.
const char* fault_of_records(const Snapshot& snapshot) {
  const auto& sections = snapshot.header().sections;
  uint64_t edges = sections[static_cast<uint32_t>(SnapshotSection::edges)].count;
  uint64_t nodes = snapshot.nodes().size(), given = 0;
  for (const SnapshotNode& node : snapshot.nodes()) {
    if (node.first_edge > edges || node.edge_count > edges - node.first_edge)
      return "a node has references that are not there";
    if (node.kind > static_cast<uint8_t>(NodeKind::native)) return "a node is of no known kind";
    given += node.edge_count;
  }
  if (given > edges) return "two nodes share their references";
  if (snapshot.kind(0) != NodeKind::super_root) return "its first node is not the root";
  for (uint32_t node = 0; node < nodes; ++node) {
    for (uint32_t target : snapshot.targets(node)) {
      if (target >= nodes) return "a reference leads outside of it";
    }
  }
  for (const SnapshotBuffer& buffer : snapshot.buffers()) {
    if (buffer.node >= nodes) return "a buffer belongs to no node";
  }
  return nullptr;
}

const char* fault_of_codes(const Snapshot& snapshot) {
  auto count = [&](SnapshotSection s) {
    return snapshot.header().sections[static_cast<uint32_t>(s)].count;
  };
  uint64_t words = count(SnapshotSection::code_words), bytes = count(SnapshotSection::code_bytes);
  for (const SnapshotCode& code : snapshot.codes()) {
    bool has_words = code.words <= words && Snapshot::word_count(code) <= words - code.words;
    bool has_bytes = code.instructions <= bytes &&
                     code.instruction_bytes <= bytes - code.instructions && code.lines <= bytes &&
                     code.line_bytes <= bytes - code.lines;
    if (!has_words || !has_bytes) return "a code object has parts that are not there";
  }
  return nullptr;
}

}  // namespace

Result<Snapshot> Snapshot::open(const std::string& path) {
  Result<std::vector<char>> raw = read_image(path, kSnapshotImage);
  if (!raw) return raw.error();
  return from_bytes(std::move(*raw), path);
}

Result<Snapshot> Snapshot::from_bytes(std::vector<char> raw, const std::string& name) {
  auto damaged = [&](const char* what) {
    return Error{fmt::format("{} is damaged: {}", name, what), 2};
  };
  if (raw.size() < sizeof(SnapshotHeader)) return damaged("it is shorter than a header");
  const auto& h = *reinterpret_cast<const SnapshotHeader*>(raw.data());
  if (std::memcmp(h.magic, kSnapshotMagic, sizeof h.magic) != 0 || h.version != kSnapshotVersion)
    return damaged("its inner header does not fit");
  if (const char* fault = fault_of_sections(h, raw.size())) return damaged(fault);
  Snapshot snapshot;
  snapshot.raw_ = std::move(raw);
  if (const char* fault = fault_of_records(snapshot)) return damaged(fault);
  if (const char* fault = fault_of_codes(snapshot)) return damaged(fault);
  return snapshot;
}

std::string_view Snapshot::string(uint32_t id) const {
  auto bytes = all<char>(SnapshotSection::strings);
  uint32_t length = 0;
  uint64_t at = id;
  if (id == 0 || at + sizeof length > bytes.size()) return {};
  std::memcpy(&length, bytes.data() + at, sizeof length);
  if (length > bytes.size() - at - sizeof length) return {};
  return {bytes.data() + at + sizeof length, length};
}

std::string_view Snapshot::type_name(uint32_t node) const {
  uint32_t type = nodes()[node].type;
  return type < types().size() ? string(types()[type].name) : std::string_view{};
}

}  // namespace tenure::ledger
