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

// The word before the table leads to the type's description, whose second word is its name. A star says that it is local.
NamePart name_of_node_type(const void* type) noexcept {
  const auto* description =
      reinterpret_cast<const void*>(load(static_cast<const char*>(type) - 8, 0));
  const auto* name = reinterpret_cast<const char*>(load(description, 8));
  if (*name == '*') ++name;
  return last_name_part(name, static_cast<uint32_t>(strlen(name)));
}

}  // namespace tenure::inproc
