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

class SiteTable {
 public:
  bool start(ledger::Writer* ledger) noexcept;
  void restart() noexcept;

  // When the table is nearly full, the site of the user's part of the stack answers; when it is full, the one "other".
  SiteId find(StackId stack, ledger::BlockKind kind, StringId op) noexcept;

  // The same without an op, remembered by the thread.
  SiteId find(RecentSites& recent, uint32_t generation, StackId stack,
              ledger::BlockKind kind) noexcept {
    RecentSites::Entry& entry = recent.entries[stack.value % RecentSites::kEntries];
    if (__builtin_expect(entry.stack != stack || entry.kind != static_cast<uint8_t>(kind) ||
                             entry.generation != generation,
                         0))
      entry = {stack, find(stack, kind, StringId{}), generation, static_cast<uint8_t>(kind)};
    return entry.site;
  }

  // Returns the ordinal of the birth in its site.
  uint32_t birth(SiteId site, Tick tick, const Weight& weight, bool is_resize) noexcept;
  void end(SiteId site, uint32_t ordinal, Tick tick, const Weight& weight) noexcept;

  // When the birth was, to within the births that share its bucket.
  Tick born_at(SiteId site, uint32_t ordinal) noexcept;

  ledger::Site& site(SiteId id) const noexcept {
    return *ledger_->record<ledger::Site>(ledger::TableId::sites, id.value);
  }

 private:
  SiteId find(StackId stack, ledger::BlockKind kind, StringId op, uint32_t room) noexcept;
  uint32_t add(StackId stack, ledger::BlockKind kind, StringId op) noexcept;
  // Asked under the site's lock only: one read before it may be older than what the site has saved already.
  uint32_t peak_epoch() const noexcept {
    return ledger_->header().peak_epoch.load(std::memory_order_relaxed);
  }

  ledger::Writer* ledger_ = nullptr;
  InternTable table_;
};

}  // namespace tenure::inproc
