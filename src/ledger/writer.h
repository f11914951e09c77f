// ledger/writer.h: lays a ledger out in shared memory and hands out records that are safe to touch.
// World: inside the program. claim() and publish() of one table need that table's lock; the rest is free.
#pragma once
#include <array>
#include <cstring>

#include "ledger/layout.h"

namespace tenure::ledger {

inline constexpr uint64_t kPage = 4096;
inline constexpr uint64_t kChunk = 64 << 10;  // a table's pages are made to exist in steps of this

constexpr uint64_t align_up(uint64_t n, uint64_t to) { return (n + to - 1) / to * to; }

constexpr uint64_t table_bytes(uint32_t t) {
  return align_up(uint64_t{kCapacity[t]} * kRecordBytes[t], kChunk);
}

// Where each table begins, and where the ledger ends. An array, so that it is computed by the compiler and never at run time.
inline constexpr auto kTableOffset = [] {
  std::array<uint64_t, kTableCount + 1> offsets{align_up(sizeof(Header), kPage)};
  for (uint32_t t = 0; t < kTableCount; ++t) offsets[t + 1] = offsets[t] + table_bytes(t);
  return offsets;
}();

constexpr uint64_t reserved_bytes() { return kTableOffset[kTableCount]; }
static_assert(reserved_bytes() < (63u << 20), "the record promises at most 64 MiB per process");

class Writer {
 public:
  using Populate = bool (*)(void* p, size_t bytes) noexcept;

  // `memory` is zeroed and reserved_bytes() long. False: not even the header's pages could be had.
  bool format(void* memory, Populate populate) noexcept {
    base_ = static_cast<char*>(memory);
    populate_ = populate;
    if (!populate_(base_, align_up(sizeof(Header), kPage))) return false;
    Header& h = header();
    h.version = kVersion;
    h.architecture = kArchitecture;
    h.reserved_bytes = reserved_bytes();
    for (uint32_t t = 0; t < kTableCount; ++t) {
      h.tables[t].offset = kTableOffset[t];
      h.tables[t].record_bytes = kRecordBytes[t];
      h.tables[t].capacity = kCapacity[t];
      if (claim(static_cast<TableId>(t), 1) == kNone) return false;  // record 0 is "none"
      publish(static_cast<TableId>(t), 1);
    }
    // Last: whoever sees the magic, also of a process that was killed in here, may believe the rest.
    std::atomic_thread_fence(std::memory_order_release);
    std::memcpy(h.magic, kMagic, sizeof h.magic);
    return true;
  }

  Header& header() const noexcept { return *reinterpret_cast<Header*>(base_); }
  void* memory() const noexcept { return base_; }     // nullptr: there is none
  void forget_memory() noexcept { base_ = nullptr; }  // it is no longer ours

  static constexpr uint32_t kNone = ~0u;

  // Index of the first of `n` zeroed records whose pages exist, or kNone. They count once published. All that is constant
  // comes from the program, not from the header: a fork inside a signal handler may change the pages in the middle.
  uint32_t claim(TableId id, uint32_t n) noexcept {
    auto t = static_cast<uint32_t>(id);
    uint32_t first = header().tables[t].used.load(std::memory_order_relaxed);
    if (n > kCapacity[t] - first) {
      lose(Loss::table_full);
      return kNone;
    }
    while (header().tables[t].populated.load(std::memory_order_relaxed) < first + n) {
      if (!grow(t)) return kNone;
    }
    return first;
  }

  // Everything before `end` may be read from now on.
  void publish(TableId id, uint32_t end) noexcept {
    header().tables[static_cast<uint32_t>(id)].used.store(end, std::memory_order_release);
  }

  // On the hot path: with a constant `id` the offset is a constant too, and the header is not touched.
  template <class Record>
  Record* record(TableId id, uint32_t index) const noexcept {
    return reinterpret_cast<Record*>(base_ + kTableOffset[static_cast<uint32_t>(id)]) + index;
  }

  uint32_t used(TableId id) const noexcept {
    return header().tables[static_cast<uint32_t>(id)].used.load(std::memory_order_acquire);
  }

  uint64_t populated_bytes() const noexcept {
    uint64_t bytes = align_up(sizeof(Header), kPage);
    for (uint32_t t = 0; t < kTableCount; ++t) bytes += populated_bytes(t);
    return bytes;
  }

  void lose(Loss loss) noexcept {
    header().losses[static_cast<uint32_t>(loss)].fetch_add(1, std::memory_order_relaxed);
  }

 private:
  uint64_t populated_bytes(uint32_t t) const noexcept {
    uint64_t records = header().tables[t].populated.load(std::memory_order_relaxed);
    return align_up(records * kRecordBytes[t], kChunk);
  }

  bool grow(uint32_t t) noexcept {
    uint64_t have = populated_bytes(t);
    if (!populate_(base_ + kTableOffset[t] + have, kChunk)) {
      lose(Loss::page_refused);
      return false;
    }
    header().tables[t].populated.store(static_cast<uint32_t>((have + kChunk) / kRecordBytes[t]),
                                       std::memory_order_relaxed);
    return true;
  }

  char* base_ = nullptr;
  Populate populate_ = nullptr;
};

}  // namespace tenure::ledger
