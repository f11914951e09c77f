#include "inproc/snapshot/native_owners.h"

#include "inproc/snapshot/guessed_block.h"

namespace tenure::inproc {
namespace {

using ledger::NodeKind;

constexpr uint64_t kMostChunks = 1 << 17;
constexpr uint64_t kLeastUnclaimed = 1 << 20;
constexpr uint64_t kMostRead = 64 << 10;  // of a tracked block: larger ones are data
constexpr uint64_t kMostOfObject = 4096;
constexpr uint64_t kSizeBefore = 8;     // as SQLite writes it before its blocks
constexpr uint64_t kControlBlock = 16;  // before an object that std::make_shared made
constexpr int kHead = 16;               // of a Python object

uint64_t word_at(uint64_t address) noexcept {
  return load<uint64_t>(reinterpret_cast<const void*>(address), 0);
}

}  // namespace

void NativeOwners::note(Object object, uint32_t type) noexcept {
  uint64_t bytes = load<uint64_t>(builder_.graph().types[type].type, kTypeBasicSize);
  if (bytes <= kHead || noted_.size() >= kMostChunks) return;
  uint32_t node = builder_.add_node(reinterpret_cast<uint64_t>(object), NodeKind::native);
  builder_.lead_to_node(node);
  noted_.push({node, object});
}

// What the interpreter itself keeps is less.
bool NativeOwners::is_much_unclaimed() noexcept {
  const Column<uint32_t>& claimed = builder_.graph().buffers;
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < blocks_.size() && i < claimed.size(); ++i)
    if (!claimed[i] && blocks_[i].site) bytes += blocks_.weight(i);
  return bytes >= kLeastUnclaimed;
}

void NativeOwners::run() noexcept {
  if (noted_.size() == 0) return;
  follows_blocks_ = is_much_unclaimed();
  first_node_ = static_cast<uint32_t>(builder_.graph().nodes.size());
  for (size_t i = 0; i < noted_.size(); ++i) {
    const Noted noted = noted_[i];
    builder_.begin(noted.node);
    uint64_t bytes = load<uint64_t>(type_of(noted.object), kTypeBasicSize);
    scan(reinterpret_cast<uint64_t>(noted.object) + kHead,
         (bytes < kMostOfObject ? bytes : kMostOfObject) - kHead, 1);
    builder_.end();
  }
  for (size_t i = 0; i < chunks_.size() && !g_snapshot_is_short; ++i) {
    const Chunk chunk = chunks_[i];
    builder_.begin(chunk.node);
    uint32_t block = blocks_.starting_at(chunk.address);
    if (block != BlockIndex::kNone) builder_.lead_to_block(block);
    if (chunk.bytes > 0 && pages_.can_read(chunk.address, chunk.bytes))
      scan(chunk.address, chunk.bytes, chunk.depth + 1);
    builder_.end();
  }
}

// `depth` is that of what the words lead to.
void NativeOwners::scan(uint64_t begin, uint64_t bytes, uint32_t depth) noexcept {
  for (uint64_t at = begin; at + 8 <= begin + bytes; at += 8) follow(word_at(at), depth);
}

// An object of Python that it refers to without showing it: as many references to that are explained by nobody else.
bool NativeOwners::is_hidden(uint32_t node) const noexcept {
  const HeapNode& known = builder_.graph().nodes[node];
  bool is_plain = known.kind == static_cast<uint8_t>(NodeKind::object) && known.type != 0 &&
                  !builder_.graph().types[known.type].is_type;
  return is_plain && known.excess != kNotCounted && known.excess > 0;
}

// Tracked blocks are told by the index; small ones that are not sampled, by what their heap wrote before them.
void NativeOwners::follow(uint64_t word, uint32_t depth) noexcept {
  if (word == 0 || (word & 7) != 0) return;
  uint32_t object = builder_.graph().ids.find(word);
  if (object != AddressMap::kNone && depth == 1 && is_hidden(object))
    return builder_.lead_to(reinterpret_cast<Object>(word));
  if (!follows_blocks_) return;
  uint32_t block = blocks_.covering(word);
  if (block != BlockIndex::kNone) {
    uint32_t known = builder_.graph().buffers[block];
    if (known && known - 1 < first_node_) return;  // a Python object has it
    uint64_t bytes = blocks_[block].bytes;
    return lead_to_chunk(blocks_[block].address, bytes > kMostRead ? 0 : bytes, depth);
  }
  if (object != AddressMap::kNone) return;
  if (uint64_t bytes = guessed_block_bytes(pages_, word)) return lead_to_chunk(word, bytes, depth);
  uint64_t start = word - ((word & 15) != 0 ? kSizeBefore : kControlBlock);
  if (uint64_t bytes = guessed_block_bytes(pages_, start)) lead_to_chunk(start, bytes, depth);
}

void NativeOwners::lead_to_chunk(uint64_t address, uint64_t bytes, uint32_t depth) noexcept {
  bool fresh;
  uint32_t* number = chunk_at_.find_or_add(address, &fresh);
  if (!number) return;
  if (fresh) {
    if (chunks_.size() >= kMostChunks) {
      *number = AddressMap::kNone;
      return;
    }
    *number = static_cast<uint32_t>(chunks_.size());
    uint32_t node = builder_.add_node(address, NodeKind::native);
    chunks_.push({node, static_cast<uint32_t>(bytes), address, depth});
  }
  bool is_near = *number != AddressMap::kNone && chunks_[*number].depth >= depth;
  if (is_near) builder_.lead_to_node(chunks_[*number].node);
}

}  // namespace tenure::inproc
