// inproc/accounting/site_table.h: the counters of each site: live, total, at peak, and its survivors by birth.
// World: inside. Any thread; each site has its own lock in the ledger.
#pragma once
#include "inproc/stacks/intern_table.h"
#include "ledger/writer.h"

namespace tenure::inproc {

// What one block adds to its site. Sampled blocks stand for more than themselves.
struct Weight {
  uint64_t bytes;
  uint64_t count;
  double variance;  // of bytes; 0 for exact blocks
};

// What tells sites apart. `op` and `forward` are those of a node of a gradient graph.
struct SiteKey {
  StackId stack;
  ledger::BlockKind kind;
  StringId op{};
  StackId forward{};
  bool is_tensor = false;
  bool is_ignored = false;  // made while the program asks not to be told of it
};

// The sites a thread used last, by stack. Ids of another generation belong to the ledger of a parent.
struct RecentSites {
  struct Entry {
    StackId stack;
    SiteId site;
    uint32_t generation;
    uint8_t kind;
  };
  static constexpr uint32_t kEntries = 64;
  Entry entries[kEntries];
};

// The same for blocks that a node's backward makes: one line makes those of many nodes.
struct RecentNodeSites {
  struct Entry {
    const void* type;
    StackId stack, forward;
    SiteId site;
    uint32_t generation;
    uint8_t kind;
  };
  static constexpr uint32_t kEntries = 128;
  Entry entries[kEntries];
};

class SiteTable {
 public:
  bool start(ledger::Writer* ledger) noexcept;
  void restart() noexcept;

  // When the table is nearly full, the site of the user's part of the stack answers; when it is full, the one "other".
  SiteId find(const SiteKey& key) noexcept;

  // The same for a key without a node, remembered by the thread.
  SiteId find(RecentSites& recent, uint32_t generation, const SiteKey& key) noexcept {
    RecentSites::Entry& entry = recent.entries[key.stack.value % RecentSites::kEntries];
    if (__builtin_expect(entry.stack != key.stack || entry.kind != kind_of(key) ||
                             entry.generation != generation,
                         0))
      entry = {key.stack, find(key), generation, kind_of(key)};
    return entry.site;
  }

  // What is left of a key beside its ids.
  static uint8_t kind_of(const SiteKey& key) noexcept {
    return static_cast<uint8_t>(static_cast<uint8_t>(key.kind) | (key.is_tensor ? 0x80 : 0) |
                                (key.is_ignored ? 0x40 : 0));
  }

  // Whether nothing was born there yet. Asked without the lock: two threads may both be the first.
  bool is_fresh(SiteId id) const noexcept {
    return __atomic_load_n(&site(id).births, __ATOMIC_RELAXED) == 0;
  }
  // Who asks for its blocks, before the first birth.
  void describe(SiteId site, ModuleId asker, FrameId entered) noexcept;

  // Returns the ordinal of the birth in its site.
  uint32_t birth(SiteId site, Tick tick, const Weight& weight, bool is_resize) noexcept;
  // Whether the end took the site below a share of what it had piled up: worth knowing where that was. A site that rises
  // and falls all the time asks once, and again only when it has held a quarter more.
  enum class Fall : uint8_t { none, below_seven_eighths, below_half };
  Fall end(SiteId site, uint32_t ordinal, Tick tick, const Weight& weight) noexcept;
  struct Moment {
    Tick tick;
    uint64_t cpu_ns;
  };
  void note_release(SiteId site, Fall fall, StackId stack, Moment when) noexcept;

  // When the birth was, to within the births that share its bucket.
  Tick born_at(SiteId site, uint32_t ordinal) noexcept;

  ledger::Site& site(SiteId id) const noexcept {
    return *ledger_->record<ledger::Site>(ledger::TableId::sites, id.value);
  }

 private:
  SiteId find(const SiteKey& key, uint32_t room) noexcept;
  // The site of the same stack whose blocks are counted one by one; none while there is none.
  const ledger::Site* exact_twin(ledger::Site& sampled) noexcept;
  uint32_t add(const SiteKey& key) noexcept;
  // Asked under the site's lock only: one read before it may be older than what the site has saved already.
  uint32_t peak_epoch() const noexcept {
    return ledger_->header().peak_epoch.load(std::memory_order_relaxed);
  }

  ledger::Writer* ledger_ = nullptr;
  InternTable table_;
};

}  // namespace tenure::inproc
