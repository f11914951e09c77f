// inproc/stacks/series_table.h: how often each loop came round and each named step was taken, against ticks.
// World: inside. Any thread; each series has its own lock in the ledger.
#pragma once
#include <atomic>
#include <string_view>

#include "inproc/stacks/intern_table.h"
#include "ledger/writer.h"

namespace tenure::inproc {

enum class Move : uint8_t {
  backwards,    // the instruction went back: certainly a new round, or a step somebody counted
  same_again,   // the very same stack and size
  loose_again,  // the very same stack, another size
  counted,      // the loop's own iterator says how many rounds it was
};

// What makes a series the one it is; fields as in ledger::Series. `line` and `function` follow from the others.
struct SeriesKey {
  ledger::SeriesKind kind;
  StackId prefix;
  uint32_t owner;
  uint32_t line;
  uint64_t start;
  uint64_t end;
  uint64_t function;
};

// There was no room for it: it need not be looked for again.
inline constexpr SeriesId kNotKept{~0u};

class SeriesTable {
 public:
  bool start(ledger::Writer* ledger) noexcept;
  void restart() noexcept;

  SeriesId find(const SeriesKey& key) noexcept;  // kNotKept when there is no room for it
  // So many more of it; nothing is done for none and kNotKept.
  // `calls_program`: the loop is a library's, and the user's code ran inside it. Asked only while is_asked_of_libraries().
  void count(SeriesId id, Move move, uint64_t rounds = 1, bool calls_program = false) noexcept;
  // No loop of the user's own has come round.
  bool is_asked_of_libraries() const noexcept {
    return !has_users_loop_.load(std::memory_order_relaxed);
  }

  // A loop of the user's came round 16, 32, 64... times, and more is alive than when it had settled.
  bool has_grown() const noexcept { return has_grown_.load(std::memory_order_relaxed); }
  // How much more, in pieces of kLevelBytes, when that was last so.
  uint32_t grown_levels() const noexcept { return grown_levels_.load(std::memory_order_relaxed); }
  void forget_growth() noexcept { has_grown_.store(false, std::memory_order_relaxed); }

  // A loop of the user's, or a named step, was marked: the moment is worth its time. True once.
  bool take_marked() noexcept {
    if (__builtin_expect(!has_marked_.load(std::memory_order_relaxed), 1)) return false;
    return has_marked_.exchange(false, std::memory_order_relaxed);
  }

 private:
  uint32_t add(const SeriesKey& key) noexcept;
  uint32_t room_for(const SeriesKey& key) const noexcept;
  void watch_growth(ledger::Series& series, uint64_t before, uint64_t count,
                    bool calls_program) noexcept;
  static bool is_loop(const ledger::Series& series) noexcept;
  void note_mark(const ledger::Series& series) noexcept;

  ledger::Writer* ledger_ = nullptr;
  InternTable table_;
  std::atomic<bool> has_grown_{false};       // relaxed: a late look does no harm
  std::atomic<uint32_t> grown_levels_{0};    // relaxed, too
  std::atomic<bool> has_marked_{false};      // relaxed: the next birth tells the time
  std::atomic<bool> has_users_loop_{false};  // that came round; relaxed: a look too many
  bool is_forked_ = false;  // written by a forked child before it has another thread
};

// Adds a mark if the last one is a stride away, thinning the marks when they are full so that they always span the run.
// False: there is one near enough.
bool add_mark(ledger::Series& series, Tick tick, uint64_t count) noexcept;

}  // namespace tenure::inproc
