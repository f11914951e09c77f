#include "inproc/guard/guarded_heap.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "inproc/os/memory.h"
#include "inproc/territory/span.h"

namespace tenure::inproc {

constinit GuardedHeap g_guarded_heap;

namespace {

constexpr int kMostLooks = 256;  // for an entry whose block has ended

}  // namespace

bool GuardedHeap::start(Room room) noexcept {
  const size_t pages = room.bytes / kPage;
  entries_ = static_cast<Entry*>(map_pages(kEntries * sizeof(Entry)));
  entry_of_page_ =
      static_cast<std::atomic<uint32_t>*>(map_pages(pages * sizeof(std::atomic<uint32_t>)));
  most_live_ = room.most_live < kEntries / 2 ? room.most_live : kEntries / 2;
  return entries_ && entry_of_page_ && ring_.start(room.base, room.bytes);
}

void* GuardedHeap::allocate(size_t n, size_t alignment, KnownStack born) noexcept {
  if (!is_on() || alignment > kPage || n > SIZE_MAX / 2) return nullptr;
  if (live_.fetch_add(1, std::memory_order_relaxed) >= most_live_) {
    live_.fetch_sub(1, std::memory_order_relaxed);
    return nullptr;
  }
  const size_t room = round_up(n > 0 ? n : 1, alignment);  // from the block to its pages' end
  const size_t bytes = round_up(room, kPage);
  Entry* entry = claim_entry();
  char* pages = entry ? static_cast<char*>(ring_.map(bytes, kPage, kPage)) : nullptr;
  if (!pages) {
    if (entry) entry->state.store(unused, std::memory_order_release);
    live_.fetch_sub(1, std::memory_order_relaxed);
    return nullptr;
  }
  char* p = pages + bytes - room;
  memset(p + n, kSlack, room - n);
  entry->born = born;
  entry->ended = {};
  entry->start = reinterpret_cast<uintptr_t>(pages);
  entry->end = entry->start + bytes;
  entry->address = reinterpret_cast<uintptr_t>(p);
  entry->bytes = n;
  note_pages(*entry);
  entry->state.store(live, std::memory_order_release);
  return p;
}

Release GuardedHeap::release(void* p, KnownStack where) noexcept {
  Entry* entry = entry_at(reinterpret_cast<uintptr_t>(p));
  if (!entry || entry->address != reinterpret_cast<uintptr_t>(p)) return Release::unknown;
  uint32_t state = live;
  if (!entry->state.compare_exchange_strong(state, changing, std::memory_order_acquire))
    return Release::again;
  const bool is_whole = has_slack_as_left(*entry);
  const uintptr_t start = entry->start, end = entry->end;
  entry->ended = where;
  // Before its pages go: another thread that uses them while they do is to find out what happened.
  entry->state.store(ended, std::memory_order_release);
  ring_.unmap(reinterpret_cast<void*>(start), end - start);
  live_.fetch_sub(1, std::memory_order_relaxed);
  return is_whole ? Release::done : Release::overrun;
}

size_t GuardedHeap::usable(const void* p) noexcept {
  Entry* entry = entry_at(reinterpret_cast<uintptr_t>(p));
  bool is_block = entry && entry->address == reinterpret_cast<uintptr_t>(p) &&
                  entry->state.load(std::memory_order_acquire) == live;
  return is_block ? entry->bytes : 0;
}

// Behind a live block one that ended in an earlier round may have been: the live one is meant.
bool GuardedHeap::find(uintptr_t address, GuardedBlock* out) noexcept {
  Entry* entry = live_entry_before(address);
  if (!entry) entry = entry_at(address);
  uint32_t state = entry ? entry->state.load(std::memory_order_acquire) : unused;
  if (state != live && state != ended) return false;
  *out = {entry->address, entry->bytes, entry->born, entry->ended, state == live};
  return true;
}

bool GuardedHeap::show_zeros(uintptr_t address) noexcept {
  GuardedBlock block;
  if (!find(address, &block) || block.is_live) return false;
  ErrnoKeeper keep;
  return syscall(SYS_mmap, address & ~(kPage - 1), kPage, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0L) != -1;
}

// Those whose blocks ended longest ago come first, as nobody has asked for their like since.
GuardedHeap::Entry* GuardedHeap::claim_entry() noexcept {
  for (int i = 0; i < kMostLooks; ++i) {
    Entry& entry = entries_[next_entry_.fetch_add(1, std::memory_order_relaxed) % kEntries];
    uint32_t state = entry.state.load(std::memory_order_relaxed);
    if (state != unused && state != ended) continue;
    if (entry.state.compare_exchange_strong(state, changing, std::memory_order_acquire))
      return &entry;
  }
  return nullptr;
}

// Not the guard page behind it: another block's first page may be there, if the addresses have gone round.
void GuardedHeap::note_pages(const Entry& entry) noexcept {
  const auto number = static_cast<uint32_t>(&entry - entries_) + 1;
  const size_t end = (entry.end - ring_.base()) / kPage;
  for (size_t page = (entry.start - ring_.base()) / kPage; page < end; ++page)
    entry_of_page_[page].store(number, std::memory_order_relaxed);
}

// An entry may belong to another block by now.
GuardedHeap::Entry* GuardedHeap::entry_at(uintptr_t address) noexcept {
  if (!ring_.holds(reinterpret_cast<const void*>(address))) return nullptr;
  uint32_t number =
      entry_of_page_[(address - ring_.base()) / kPage].load(std::memory_order_relaxed);
  if (number == 0) return nullptr;
  Entry& entry = entries_[number - 1];
  return address >= entry.start && address < entry.end ? &entry : nullptr;
}

// The live block behind which the address lies in the page that guards it.
GuardedHeap::Entry* GuardedHeap::live_entry_before(uintptr_t address) noexcept {
  const uintptr_t page = address & ~(kPage - 1);
  Entry* entry = entry_at(page - kPage);
  bool is_live = entry && entry->state.load(std::memory_order_acquire) == live;
  return is_live && entry->end == page ? entry : nullptr;
}

bool GuardedHeap::has_slack_as_left(const Entry& entry) noexcept {
  const auto* end = reinterpret_cast<const uint8_t*>(entry.end);
  for (const auto* at = reinterpret_cast<const uint8_t*>(entry.address) + entry.bytes; at < end;
       ++at) {
    if (*at != kSlack) return false;
  }
  return true;
}

}  // namespace tenure::inproc
