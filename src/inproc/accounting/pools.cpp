// inproc/accounting/pools.cpp: the part of Accounting that books regions of pools and the blocks in them.
#include "inproc/accounting/accounting.h"
#include "inproc/accounting/gate.h"
#include "inproc/accounting/thread_state.h"

namespace tenure::inproc {
namespace {

// The first block of a region starts where the region does: the region has a key that no pointer of a program can have.
const void* key_of(const void* region) {
  return reinterpret_cast<const void*>(reinterpret_cast<uintptr_t>(region) | 1ull << 62);
}

// The table's lock may be held below a signal handler: it does without.
template <class Ask>
bool ask(Ask ask_table) noexcept {
  BusyGuard busy;
  return busy && ask_table();
}

}  // namespace

void Accounting::region_born(const void* p, uint64_t bytes, uintptr_t caller) noexcept {
  if (ask([&] { return pools_.add(reinterpret_cast<uintptr_t>(p), bytes); }))
    born(key_of(p), bytes, ledger::BlockKind::pool_region, caller);
  else
    born(p, bytes, ledger::BlockKind::heap, caller);
}

void Accounting::born_in_pool(const void* p, uint64_t bytes, uintptr_t caller) noexcept {
  if (passes_unseen(bytes)) return;
  if (!ask([&] { return pools_.covers(reinterpret_cast<uintptr_t>(p)); })) return;
  if (is_exact(bytes))
    born(p, bytes, ledger::BlockKind::heap, caller);
  else if (is_sampled(bytes))
    born(p, bytes, ledger::BlockKind::small_heap, caller);
}

void Accounting::end_region(const void* p) noexcept {
  if (ask([&] { return pools_.remove(reinterpret_cast<uintptr_t>(p)); }))
    end_block(key_of(p), nullptr);
}

}  // namespace tenure::inproc
