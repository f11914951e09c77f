#include "inproc/snapshot/snapshot_file.h"

#include <algorithm>

#include "inproc/snapshot/array_form.h"
#include "inproc/snapshot/code_section.h"
#include "inproc/snapshot/edge_labels.h"
#include "ledger/layout.h"

namespace tenure::inproc {
namespace {

using ledger::NodeKind;
using ledger::SnapshotBlock;
using ledger::SnapshotBuffer;
using ledger::SnapshotHeader;
using ledger::SnapshotNode;
using ledger::SnapshotSection;
using ledger::SnapshotType;

constexpr size_t padded(size_t n) { return (n + 7) / 8 * 8; }

bool write_all(long fd, const void* data, size_t bytes) noexcept {
  const char* at = static_cast<const char*>(data);
  while (bytes > 0) {
    long n = syscall(SYS_write, fd, at, bytes);
    if (n <= 0) return false;
    at += n;
    bytes -= static_cast<size_t>(n);
  }
  return true;
}

// The sections one after the other behind the header, which is written last.
class Sections {
 public:
  Sections(long fd, const SnapshotHeader& header) noexcept : fd_(fd), header_(header) {
    offset_ = padded(sizeof header_);
    is_good_ = write_all(fd_, zeros_, offset_);
  }

  void set_codes(int python, uint32_t lost) noexcept {
    header_.python = static_cast<uint32_t>(python);
    header_.lost_codes = lost;
  }

  template <class T>
  void add(SnapshotSection section, const Column<T>& records) noexcept {
    auto& at = header_.sections[static_cast<uint32_t>(section)];
    at.offset = offset_;
    at.count = records.size();
    size_t bytes = records.bytes(), padding = padded(bytes) - bytes;
    is_good_ = is_good_ && write_all(fd_, records.data(), bytes) && write_all(fd_, zeros_, padding);
    offset_ += bytes + padding;
  }

  bool finish() noexcept {
    memcpy(header_.magic, ledger::kSnapshotMagic, sizeof header_.magic);
    header_.version = ledger::kSnapshotVersion;
    header_.architecture = ledger::kArchitecture;
    return is_good_ && !g_snapshot_is_short &&
           syscall(SYS_pwrite64, fd_, &header_, sizeof header_, 0L) ==
               static_cast<long>(sizeof header_);
  }

 private:
  long fd_;
  SnapshotHeader header_;
  uint64_t offset_;
  bool is_good_;
  char zeros_[padded(sizeof(SnapshotHeader))] = {};
};

void fill_nodes(NodeWords& words, const HeapGraph& heap, const TorchLayout& torch,
                const PrunedGraph& pruned, TextTable& texts, Column<SnapshotNode>& nodes) noexcept {
  words.mark_namespaces(pruned);
  ArrayForms forms(heap, torch);
  for (uint32_t i = 0; i < pruned.size(); ++i) {
    SnapshotNode node = words.describe(pruned.heap_node[i]);
    if (!node.word) node.word = texts.add(forms.form_of(heap.nodes[pruned.heap_node[i]]));
    node.first_edge = pruned.first_edge[i];
    node.edge_count = pruned.first_edge[i + 1] - pruned.first_edge[i];
    nodes.push(node);
  }
}

void fill_buffers(const HeapGraph& heap, const BlockIndex& blocks, const PrunedGraph& pruned,
                  Column<SnapshotBuffer>& buffers) noexcept {
  for (uint32_t i = 0; i < pruned.size(); ++i) {
    const HeapNode& node = heap.nodes[pruned.heap_node[i]];
    if (node.kind != static_cast<uint8_t>(NodeKind::buffer)) continue;
    const uint32_t number = blocks.starting_at(node.key);
    const LiveBlock& block = blocks[number];
    buffers.push({i, block.ordinal, block.site, 0, block.address, blocks.weight(number)});
  }
}

constexpr size_t kMostBlocks = 16 << 10;

// Heap blocks that are counted one by one: samples and mappings are no tensors.
void fill_blocks(const BlockIndex& index, const OpNames& names,
                 Column<SnapshotBlock>& blocks) noexcept {
  Column<uint32_t> ops;
  if (!ops.extend_to(index.size())) return;
  names.each([&](uintptr_t address, StringId name) {
    uint32_t number = index.starting_at(address);
    if (number != BlockIndex::kNone) ops[number] = name.value;
  });
  for (uint32_t i = 0; i < index.size(); ++i) {
    const LiveBlock& block = index[i];
    if (static_cast<ledger::BlockKind>(block.kind) == ledger::BlockKind::heap && block.site)
      blocks.push({block.address, block.bytes, block.site, block.ordinal, StringId{ops[i]}, 0});
  }
  if (blocks.size() <= kMostBlocks) return;
  std::nth_element(
      blocks.begin(), blocks.begin() + kMostBlocks, blocks.end(),
      [](const SnapshotBlock& a, const SnapshotBlock& b) { return a.bytes > b.bytes; });
  while (blocks.size() > kMostBlocks) blocks.clear_last();
}

void fill_types(const HeapGraph& heap, TextTable& texts, Column<SnapshotType>& types) noexcept {
  for (size_t i = 0; i < heap.types.size(); ++i) {
    const HeapType& type = heap.types[i];
    types.push({type.type ? texts.add(type_name(type.type)) : 0, 0, type.count, type.bytes});
  }
  for (size_t i = 0; i < heap.native_types.size(); ++i)
    types.push({texts.add(heap.native_types[i].name, heap.native_types[i].length), 0, 0, 0});
}

}  // namespace

int write_snapshot(const SnapshotHeader& header, const HeapApi& api, Accounting& accounting,
                   HeapGraph& heap, const TorchLayout& torch, const BlockIndex& blocks,
                   const PrunedGraph& pruned, Object main_module) noexcept {
  TextTable texts;
  texts.add("", 0);
  Column<SnapshotNode> nodes;
  Column<uint32_t> labels;
  Column<SnapshotBuffer> buffers;
  Column<SnapshotType> types;
  Column<SnapshotBlock> largest;
  NodeWords words(api, accounting.python(), heap, texts);
  fill_nodes(words, heap, torch, pruned, texts, nodes);
  EdgeLabels(api, heap, texts).write(pruned, labels);
  fill_buffers(heap, blocks, pruned, buffers);
  fill_types(heap, texts, types);
  fill_blocks(blocks, accounting.op_names(), largest);
  CodeSection code(api, accounting.python(), texts);
  code.fill(heap, main_module);

  long fd = syscall(SYS_memfd_create, "tenure-snapshot", 1L /*MFD_CLOEXEC*/);
  if (fd < 0) return -1;
  Sections sections(fd, header);
  sections.set_codes(api.version(), code.lost());
  sections.add(SnapshotSection::nodes, nodes);
  sections.add(SnapshotSection::edges, pruned.edges);
  sections.add(SnapshotSection::labels, labels);
  sections.add(SnapshotSection::buffers, buffers);
  sections.add(SnapshotSection::types, types);
  sections.add(SnapshotSection::strings, texts.bytes());
  sections.add(SnapshotSection::blocks, largest);
  sections.add(SnapshotSection::codes, code.codes());
  sections.add(SnapshotSection::code_words, code.words());
  sections.add(SnapshotSection::code_bytes, code.bytes());
  return sections.finish() ? static_cast<int>(fd) : -1;
}

}  // namespace tenure::inproc
