// tests/unit/accounting/contract.h: what every accounting must keep; contract_test.cpp runs over each implementation named there.
// An implementation is a class with the members of inproc::Accounting; one object per test, with a ledger of its own.
#pragma once
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <unordered_map>

#include "inproc/accounting/accounting.h"
#include "inproc/accounting/thread_state.h"

namespace tenure::inproc {

inline void* g_ledger_memory;  // what the next join hands out; nullptr: the supervisor is not there

inline void* map_ledger() {
  return mmap(nullptr, ledger::reserved_bytes(), PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}
inline void* join_in_test(uint64_t) noexcept { return g_ledger_memory; }

// The stacks of a test are all the same, so the kinds of blocks are its sites. These three count as live memory.
inline constexpr ledger::BlockKind kKinds[] = {
    ledger::BlockKind::heap, ledger::BlockKind::object_arena, ledger::BlockKind::shared_map};

// The same accounting of blocks that lie in slots of the territory, so that their heads carry the notes.
class AccountingInTerritory : public Accounting {};

// A block in a slot for each number of a test, made at its first use and never freed: only its address and its head count.
inline std::unordered_map<uint64_t, void*> g_slots;
inline const void* slot_of(uint64_t number) {
  static std::mutex lock;
  static const bool is_on = territory().start();
  std::lock_guard guard(lock);
  void*& p = g_slots[number];
  if (!p && is_on) p = territory().allocate(Territory::kFrom, 16, false);
  return p;
}

template <class Implementation>
class AccountingContract : public ::testing::Test {
 public:
  void SetUp() override {
    g_ledger_memory = map_ledger();
    g_slots.clear();
    g_thread = {};  // the stacks of another test belong to another ledger
  }
  void TearDown() override { munmap(ledger_memory_, ledger::reserved_bytes()); }

  void start(bool is_eager = true) {
    ledger_memory_ = g_ledger_memory;
    accounting_->start(&join_in_test, is_eager);
  }
  static const void* at(uint64_t number) {
    const void* anywhere = reinterpret_cast<const void*>(number << 12);
    bool is_in_slot = std::is_same_v<Implementation, AccountingInTerritory>;
    return is_in_slot ? slot_of(number) : anywhere;
  }
  void born(uint64_t number, uint64_t bytes, ledger::BlockKind kind = ledger::BlockKind::heap,
            bool is_resize = false) {
    accounting_->born(at(number), bytes, kind, 0x1234, is_resize);
  }
  bool ended(uint64_t number) { return accounting_->ended(at(number)); }

  ledger::Header& header() { return accounting_->ledger().header(); }
  uint64_t lost(ledger::Loss loss) { return header().losses[static_cast<uint32_t>(loss)].load(); }
  // The only site of the kind.
  ledger::Site& site(ledger::BlockKind kind = ledger::BlockKind::heap) {
    ledger::Writer& writer = accounting_->ledger();
    ledger::Site* found = nullptr;
    for (uint32_t i = 1; i < writer.used(ledger::TableId::sites); ++i) {
      auto* s = writer.record<ledger::Site>(ledger::TableId::sites, i);
      if (s->kind != static_cast<uint8_t>(kind)) continue;
      EXPECT_EQ(found, nullptr) << "the stacks of the test are not all the same";
      found = s;
    }
    static ledger::Site none;
    return found ? *found : none;
  }
  uint64_t at_peak_bytes(ledger::BlockKind kind) {
    ledger::Site& s = site(kind);
    return s.at_peak_epoch == header().peak_epoch.load() ? s.at_peak_bytes : s.live_bytes;
  }
  uint64_t at_peak_count(ledger::BlockKind kind) {
    ledger::Site& s = site(kind);
    return s.at_peak_epoch == header().peak_epoch.load() ? s.at_peak_count : s.live_count;
  }

  std::unique_ptr<Implementation> accounting_ = std::make_unique<Implementation>();
  void* ledger_memory_ = nullptr;
};

}  // namespace tenure::inproc
