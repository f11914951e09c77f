#include "inproc/accounting/graph_nodes.h"

#include <cstring>

#include "inproc/os/memory.h"
#include "ledger/layout.h"

namespace tenure::inproc {
namespace {

uint64_t load(const void* p, uint32_t offset) noexcept {
  uint64_t word;
  std::memcpy(&word, static_cast<const char*>(p) + offset, sizeof word);
  return word;
}

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

}  // namespace

bool GraphNodes::start(const TorchCode& code, NodeLayout layout) noexcept {
  static_assert(ledger::kCapacity[static_cast<uint32_t>(ledger::TableId::stacks)] <
                1 << kStackBits);
  if (!entries_)
    entries_ = static_cast<std::atomic<uint64_t>*>(map_pages(kEntries * sizeof(uint64_t)));
  if (!entries_) return false;
  code_ = code;
  layout_.store(layout, std::memory_order_release);
  return true;
}

void GraphNodes::restart() noexcept {
  if (entries_) zero_pages(entries_, kEntries * sizeof(uint64_t));
}

uint32_t GraphNodes::slot_of(uint64_t thread, uint64_t number) noexcept {
  return static_cast<uint32_t>(number + thread * 40503) % kEntries;
}

// Never 0, as an empty entry is: threads are numbered from 1.
uint64_t GraphNodes::mark_of(uint64_t thread, uint64_t number) noexcept {
  return (thread << 28 | (number / kEntries & 0xfffffff)) << kStackBits;
}

void GraphNodes::made(ThreadNodes& thread, uint64_t number, StackId where) noexcept {
  if (!thread.thread) thread.thread = code_.thread_number();
  entries_[slot_of(thread.thread, number)].store(mark_of(thread.thread, number) | where.value,
                                                 std::memory_order_relaxed);
}

RunningNode GraphNodes::entered(const void* node) const noexcept {
  NodeLayout layout = layout_.load(std::memory_order_acquire);
  if (!layout.number || !node) return {};
  return {reinterpret_cast<const void*>(load(node, 0)), load(node, layout.number),
          load(node, layout.thread)};
}

StackId GraphNodes::where(const RunningNode& node) const noexcept {
  uint64_t entry = entries_[slot_of(node.thread, node.number)].load(std::memory_order_relaxed);
  constexpr uint64_t kStackMask = (1 << kStackBits) - 1;
  bool is_this = (entry & ~kStackMask) == mark_of(node.thread, node.number);
  return is_this ? StackId{static_cast<uint32_t>(entry & kStackMask)} : StackId{};
}

// The word before the table leads to the type's description, whose second word is its name: "N5torch8autograd…12MulBackward0E",
// each part behind its length. The last part is what people call it.
NodeName name_of_node_type(const void* type) noexcept {
  const auto* description =
      reinterpret_cast<const void*>(load(static_cast<const char*>(type) - 8, 0));
  const auto* at = reinterpret_cast<const char*>(load(description, 8));
  if (*at == '*') ++at;
  if (*at == 'N') ++at;
  NodeName name{at, 0};
  while (is_digit(*at)) {
    uint32_t length = 0;
    for (; is_digit(*at); ++at) length = 10 * length + static_cast<uint32_t>(*at - '0');
    if (strnlen(at, length) < length) break;
    name = {at, length};
    at += length;
  }
  return name;
}

}  // namespace tenure::inproc
