#include "inproc/territory/slot_cache.h"

#include "inproc/os/memory.h"
#include "inproc/os/thread_end.h"

namespace tenure::inproc {

thread_local constinit SlotCache g_slot_cache;

namespace {

void close_cache(void*) noexcept { g_slot_cache.close(); }
constinit ThreadEnd g_at_end(&close_cache);

}  // namespace

BlockHead* SlotCache::refill(SlotStore& store, uint32_t size_class) noexcept {
  Use use(*this);
  uint32_t taken = 0;
  if (!use) return nullptr;
  if (!store_) {
    store_ = &store;
    ErrnoKeeper keep;
    g_at_end.set(this);
  }
  uint32_t wanted = (most(size_class) + 1) / 2;
  BlockHead* slot = store.take(size_class, wanted ? wanted : 1, &taken);
  if (!slot) return nullptr;
  Bin& bin = bins_[size_class];
  bin.first = slot->next;  // the bin was empty
  bin.count = taken - 1;
  return slot;
}

void SlotCache::flush(SlotStore& store, uint32_t size_class, BlockHead* slot) noexcept {
  slot->next = nullptr;
  {
    Use use(*this);
    Bin& bin = bins_[size_class];
    uint32_t moved = use ? bin.count / 2 : 0;
    for (uint32_t i = 0; i < moved; ++i) {
      BlockHead* first = bin.first;
      bin.first = first->next;
      first->next = slot;
      slot = first;
    }
    bin.count -= moved;
  }
  store.put_back(size_class, slot);
}

void SlotCache::close() noexcept {
  Use use(*this);
  is_closed_ = true;
  if (!store_) return;
  for (uint32_t c = 0; c < kSlotClasses; ++c) {
    store_->put_back(c, bins_[c].first);
    bins_[c] = {};
  }
}

}  // namespace tenure::inproc
