// lib/record.h: what is known of one buffer; outlives its memory for as long as a handle may ask.
// World: the C++ library. The word is atomic, the name and birth never change, all else is guarded by the tree's mutex.
#pragma once
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "lib/mark.h"
#include "lib/memory.h"
#include "tenure/cell.h"

namespace tenure::detail {
class ScopeNode;
}

namespace tenure::lib {

class Record final : public detail::Cell {
 public:
  Record(std::shared_ptr<detail::ScopeNode> scope, std::string name, const Memory& memory,
         Mark born)
      : scope(std::move(scope)), name(std::move(name)), born(std::move(born)), memory(memory) {}

  // Takes the buffer from live to `to`. True: no lease is out, so the memory is the caller's to give back.
  bool leave_live(State to) noexcept {
    std::uint64_t word = word_.load(std::memory_order_relaxed), next = 0;
    do {
      next = (word & ~(kStateMask | kClosing)) | static_cast<std::uint64_t>(to);
    } while (!word_.compare_exchange_weak(word, next, std::memory_order_acq_rel,
                                          std::memory_order_relaxed));
    return word < kOneLease;
  }
  // Only when no lease is out. False: one is.
  bool detach_if_unleased() noexcept {
    std::uint64_t unleased = static_cast<std::uint64_t>(State::live);
    return word_.compare_exchange_strong(unleased, static_cast<std::uint64_t>(State::detached),
                                         std::memory_order_acq_rel, std::memory_order_relaxed);
  }
  void stop_leases() noexcept { word_.fetch_or(kClosing, std::memory_order_acq_rel); }
  void allow_leases() noexcept { word_.fetch_and(~kClosing, std::memory_order_acq_rel); }

  bool take_lease() noexcept {
    std::uint64_t word = word_.load(std::memory_order_relaxed);
    do {
      if ((word & (kStateMask | kClosing)) != static_cast<std::uint64_t>(State::live)) return false;
    } while (!word_.compare_exchange_weak(word, word + kOneLease, std::memory_order_acq_rel,
                                          std::memory_order_relaxed));
    return true;
  }
  enum class LastLease {
    no,
    yes,
    closing /*somebody waits*/,
    ended /*the memory is the caller's*/
  };
  LastLease drop_lease() noexcept {
    std::uint64_t word = word_.fetch_sub(kOneLease, std::memory_order_acq_rel);
    if (word / kOneLease > 1) return LastLease::no;
    if ((word & kStateMask) != static_cast<std::uint64_t>(State::live)) return LastLease::ended;
    return (word & kClosing) != 0 ? LastLease::closing : LastLease::yes;
  }

  const std::shared_ptr<detail::ScopeNode> scope;
  const std::string name;
  const Mark born;

  // The latest lease. Relaxed: it is told, never acted upon.
  std::atomic<SourceLine> leased_at{};
  std::atomic<std::thread::id> leased_by{};

  Memory memory;  // taken out by whoever gives it back
  Mark ended;
  std::shared_ptr<const std::string> ended_by;  // in words; null: its owner

 private:
  friend class RecordList;
  std::shared_ptr<Record> next_;
  Record* previous_ = nullptr;
};

// Records of one scope, newest first. Owns them. Guarded by the tree's mutex; nothing here allocates.
class RecordList {
 public:
  RecordList() = default;
  RecordList(const RecordList&) = delete;
  RecordList& operator=(const RecordList&) = delete;
  ~RecordList() {
    while (take_first())
      continue;  // one by one: a chain of destructors would be as deep as the list is long
  }

  [[nodiscard]] Record* first() const noexcept { return first_.get(); }
  [[nodiscard]] static Record* next(const Record& record) noexcept { return record.next_.get(); }

  void add_first(std::shared_ptr<Record> record) noexcept {
    if (first_)
      first_->previous_ = record.get();
    else
      last_ = record.get();
    record->next_ = std::move(first_);
    first_ = std::move(record);
  }
  void add_last(std::shared_ptr<Record> record) noexcept {
    record->previous_ = last_;
    Record* added = record.get();
    (last_ ? last_->next_ : first_) = std::move(record);
    last_ = added;
  }
  std::shared_ptr<Record> remove(Record& record) noexcept {
    std::shared_ptr<Record>& link = record.previous_ ? record.previous_->next_ : first_;
    std::shared_ptr<Record> removed = std::move(link);
    link = std::move(record.next_);
    (link ? link->previous_ : last_) = record.previous_;
    record.previous_ = nullptr;
    return removed;
  }
  std::shared_ptr<Record> take_first() noexcept { return first_ ? remove(*first_) : nullptr; }

 private:
  std::shared_ptr<Record> first_;
  Record* last_ = nullptr;
};

}  // namespace tenure::lib
