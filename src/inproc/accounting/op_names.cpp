#include "inproc/accounting/op_names.h"

namespace tenure::inproc {
namespace {

// Programs that trace functions again and again make ever new names. They must leave room for all other text.
bool has_room(const ledger::Writer& ledger) noexcept {
  constexpr auto kStrings = ledger::TableId::strings;
  return ledger.used(kStrings) < ledger::kCapacity[static_cast<uint32_t>(kStrings)] / 2;
}

}  // namespace

thread_local constinit CurrentOp g_current_op{};

bool OpNames::ensure_started() noexcept {
  if (is_used_.load(std::memory_order_acquire)) return true;
  SpinGuard guard(start_lock_, LockRank::join);
  if (!is_used_.load(std::memory_order_relaxed) && table_.start())
    is_used_.store(true, std::memory_order_release);
  return is_used_.load(std::memory_order_relaxed);
}

void OpNames::note(const LiveBlock& block, StackTable& texts,
                   const ledger::Writer& ledger) noexcept {
  char text[kLongestOpName];
  uint32_t length = g_current_op.name(g_current_op.of, text);
  StringId name = length && has_room(ledger) ? texts.string(text, length) : StringId{};
  if (!name) return forget(block.address);
  if (!ensure_started()) return;
  LiveBlock older;
  table_.insert({block.address, block.bytes, block.kind, block.site, name.value}, &older);
}

void OpNames::remove(uintptr_t address) noexcept {
  LiveBlock was;
  if (!table_.is_surely_absent(address)) table_.remove(address, &was);
}

void OpNames::restart() noexcept {
  start_lock_.store(0, std::memory_order_relaxed);
  if (is_used_.load(std::memory_order_relaxed)) table_.restart();
}

}  // namespace tenure::inproc
