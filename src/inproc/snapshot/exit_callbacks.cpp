#include "inproc/snapshot/exit_callbacks.h"

namespace tenure::inproc {
namespace {

constexpr int kModuleState = 32;
constexpr uint64_t kMostOfState = 512 << 10;
constexpr int kFirstRoom = 32, kMoreRoom = 16;  // the table of callbacks grows by so many
constexpr int kMostCallbacks = 1 << 20;

uint64_t word_at(uint64_t address) noexcept {
  return load<uint64_t>(reinterpret_cast<const void*>(address), 0);
}

// {callbacks, count, room}, where each callback is {function, arguments, keywords}, or null once it was taken back.
class CallbackTable {
 public:
  CallbackTable(const HeapGraph& graph, ReadablePages& pages, Column<Object>* found) noexcept
      : graph_(graph), pages_(pages), found_(found) {}

  bool is_at(uint64_t address) noexcept {
    uint64_t table = word_at(address), counts = word_at(address + 8);
    auto count = static_cast<int32_t>(counts), room = static_cast<int32_t>(counts >> 32);
    bool is_plausible = count > 0 && count <= room && room <= kMostCallbacks &&
                        room >= kFirstRoom && (room - kFirstRoom) % kMoreRoom == 0;
    if (!is_plausible || (table & 7) != 0) return false;
    return pages_.can_read(table, static_cast<uint64_t>(count) * 8) && read(table, count);
  }

 private:
  bool read(uint64_t table, int32_t count) noexcept {
    found_->clear();
    for (int32_t i = 0; i < count; ++i) {
      uint64_t callback = word_at(table + static_cast<uint64_t>(i) * 8);
      if (callback == 0) continue;
      if ((callback & 7) != 0 || !pages_.can_read(callback, 24)) return false;
      if (!is_object(word_at(callback))) return false;
      for (uint64_t field = 0; field <= 16; field += 8) add(word_at(callback + field));
    }
    return found_->size() > 0;
  }

  bool is_object(uint64_t word) const noexcept {
    return word && graph_.ids.find(word) != AddressMap::kNone;
  }

  void add(uint64_t word) noexcept {  // an untracked tuple is known by nobody else
    if (word && pages_.can_read(word, 24)) found_->push(reinterpret_cast<Object>(word));
  }

  const HeapGraph& graph_;
  ReadablePages& pages_;
  Column<Object>* found_;
};

// From 3.14 on they are in a list, which is an object with a reference nobody explains.
bool is_list_of_callbacks(const HeapGraph& graph, ReadablePages& pages, uint64_t word) noexcept {
  if ((word & 7) != 0 || graph.ids.find(word) == AddressMap::kNone) return false;
  auto list = reinterpret_cast<Object>(word);
  if (!(flags_of(list) & kIsList)) return false;
  auto* items = load<Object const*>(list, kListItems);
  int64_t count = load<int64_t>(list, kVarObjectSize);
  if (count <= 0 || !pages.can_read(reinterpret_cast<uint64_t>(items), 8)) return false;
  return flags_of(items[0]) & kIsTuple && load<int64_t>(items[0], kVarObjectSize) == 3;
}

}  // namespace

void find_exit_callbacks(const HeapApi& api, const HeapGraph& graph, Object atexit_module,
                         Column<Object>* found) noexcept {
  ReadablePages pages;
  CallbackTable table(graph, pages, found);
  if (api.version() < 0x30a) {
    auto state = load<uint64_t>(atexit_module, kModuleState);
    if (!state || !pages.can_read(state, 16) || !table.is_at(state)) found->clear();
    return;
  }
  auto state = reinterpret_cast<uint64_t>(api.PyInterpreterState_Main());
  for (uint64_t at = state; at < state + kMostOfState && pages.can_read(at, 16); at += 8) {
    if (api.version() >= 0x30e && is_list_of_callbacks(graph, pages, word_at(at))) {
      found->push(reinterpret_cast<Object>(word_at(at)));
      return;
    }
    if (api.version() < 0x30e && table.is_at(at)) return;
  }
  found->clear();
}

}  // namespace tenure::inproc
