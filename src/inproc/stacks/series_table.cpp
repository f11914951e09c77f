#include "inproc/stacks/series_table.h"

#include <bit>

#include "base/hash.h"
#include "inproc/stacks/users_part.h"

namespace tenure::inproc {

using ledger::Series;
using ledger::TableId;

bool SeriesTable::start(ledger::Writer* ledger) noexcept {
  ledger_ = ledger;
  return table_.start();
}

void SeriesTable::restart() noexcept {
  table_.clear();
  forget_growth();
  has_users_loop_.store(false, std::memory_order_relaxed);
  is_forked_ = true;
}

namespace {

constexpr uint64_t kRepeated = 2;     // rounds of a loop that comes round at all
constexpr uint32_t kGrownLevels = 4;  // 256 KiB: less is not worth a look

// Doubles the stride until at most half of the marks are left.
void thin_marks(Series& series) noexcept {
  while (series.marks_used > ledger::kMarks / 2) {
    series.stride *= 2;
    uint32_t kept = 0;
    uint64_t last = 0;
    for (uint32_t i = 0; i < series.marks_used; ++i) {
      const Series::Mark mark = series.marks[i];
      if (mark.count < last + series.stride) continue;
      series.marks[kept++] = mark;
      last = mark.count;
    }
    series.marks_used = kept;
  }
}

}  // namespace

bool add_mark(Series& series, Tick tick, uint64_t count) noexcept {
  if (series.stride == 0) series.stride = 1;
  auto last = [&] { return series.marks_used ? series.marks[series.marks_used - 1].count : 0; };
  if (count < last() + series.stride) return false;
  if (series.marks_used == ledger::kMarks) thin_marks(series);
  if (count < last() + series.stride) return false;
  series.marks[series.marks_used++] = {tick, count};
  return true;
}

// Loops of libraries must not crowd out the user's: above all not the thousands met while a framework is imported, nor
// those of XLA's compilers.
uint32_t SeriesTable::room_for(const SeriesKey& key) const noexcept {
  constexpr uint32_t kAll = ledger::kCapacity[static_cast<uint32_t>(TableId::series)];
  if (key.kind == ledger::SeriesKind::native_move) return kAll / 4 * 3;
  bool is_python =
      key.kind == ledger::SeriesKind::python_loop || key.kind == ledger::SeriesKind::python_rerun;
  if (!is_python || is_users_code(*ledger_, key.owner)) return kAll;
  return is_importing(*ledger_, key.prefix) ? kAll / 4 : kAll / 4 * 3;
}

uint32_t SeriesTable::add(const SeriesKey& key) noexcept {
  constexpr uint32_t kAll = ledger::kCapacity[static_cast<uint32_t>(TableId::series)];
  uint32_t room = room_for(key);
  if (room < kAll && ledger_->used(TableId::series) >= room) return 0;
  uint32_t index = ledger_->claim(TableId::series, 1);
  if (index == ledger::Writer::kNone) return 0;
  Series& s = *ledger_->record<Series>(TableId::series, index);
  s.kind = static_cast<uint32_t>(key.kind);
  s.prefix = key.prefix;
  s.owner = key.owner;
  s.line = key.line;
  s.start = key.start;
  s.end = key.end;
  s.function = key.function;
  s.is_users = key.kind == ledger::SeriesKind::python_loop && is_users_code(*ledger_, key.owner);
  s.first_tick = ledger_->header().tick.load(std::memory_order_relaxed);
  ledger_->publish(TableId::series, index + 1);
  return index;
}

SeriesId SeriesTable::find(const SeriesKey& key) noexcept {
  uint64_t hash = mix(mix(key.start, key.end),
                      mix(key.owner, static_cast<uint64_t>(key.kind) << 32 | key.prefix.value));
  auto equal = [&](uint32_t id) {
    const Series& s = *ledger_->record<Series>(TableId::series, id);
    return s.kind == static_cast<uint32_t>(key.kind) && s.prefix == key.prefix &&
           s.owner == key.owner && s.start == key.start && s.end == key.end;
  };
  uint32_t id = table_.find_or_add(hash, equal, [&] { return add(key); });
  return id ? SeriesId{id} : kNotKept;
}

// At rounds 8, 16, 32...: growth too small for the milestones in bytes is seen against the least of them. What is alive may
// go up and down by as much all the time: it is worth another look when it has doubled, as a leak's does.
void SeriesTable::watch_growth(Series& s, uint64_t before, uint64_t count,
                               bool calls_program) noexcept {
  if (std::bit_width(count) == std::bit_width(before) || count < kRepeated) return;
  if (s.is_users) has_users_loop_.store(true, std::memory_order_relaxed);
  if (count < ledger::kSettledRounds) return;
  bool is_programs = calls_program && is_asked_of_libraries() && !is_importing(*ledger_, s.prefix);
  if (!s.is_users && !is_forked_ && !is_programs) return;
  const ledger::Header& h = ledger_->header();
  uint64_t live =
      h.live_bytes.load(std::memory_order_relaxed) + h.small_bytes.load(std::memory_order_relaxed);
  auto level = static_cast<uint32_t>(live / ledger::kLevelBytes);
  if (s.level == 0 || level < s.level) s.level = level;
  if (level < s.level + kGrownLevels) return;
  grown_levels_.store(level - s.level, std::memory_order_relaxed);
  auto bits = static_cast<uint8_t>(std::bit_width(level - s.level));
  if (bits <= s.told_growth) return;
  s.told_growth = bits;
  has_grown_.store(true, std::memory_order_relaxed);
}

// Tasks of a pool, coroutines and forked workers are called from a loop of a library, and the user's own may be nowhere: where
// one comes round, that one tells, and not those of a library that it calls. A library's loop that calls nothing of the
// program does its own work, and what loads modules is no work of the program.
bool SeriesTable::is_loop(const Series& s) noexcept {
  return s.kind == static_cast<uint32_t>(ledger::SeriesKind::python_loop);
}

void SeriesTable::count(SeriesId id, Move move, uint64_t rounds, bool calls_program) noexcept {
  if (!id || id == kNotKept) return;
  Series& s = *ledger_->record<Series>(TableId::series, id.value);
  Tick tick = ledger_->header().tick.load(std::memory_order_relaxed);
  SpinGuard guard(s.lock, LockRank::series);
  uint64_t before = s.count.load(std::memory_order_relaxed), count = before + rounds;
  s.count.store(count, std::memory_order_relaxed);
  if (is_loop(s)) watch_growth(s, before, count, calls_program);
  s.last_tick = tick;
  switch (move) {
    case Move::backwards:
      s.quiet_moves += !s.has_repeated;
      s.has_repeated = 0;
      break;
    case Move::same_again:
      s.repeats += rounds;
      s.has_repeated = 1;
      break;
    case Move::loose_again:
      s.loose_repeats += rounds;
      s.has_repeated = 1;
      break;
    case Move::counted:
      s.counted += rounds;
      break;
  }
  if (add_mark(s, tick, count)) note_mark(s);
}

void SeriesTable::note_mark(const Series& s) noexcept {
  if (s.is_users || s.kind == static_cast<uint32_t>(ledger::SeriesKind::named))
    has_marked_.store(true, std::memory_order_relaxed);
}

}  // namespace tenure::inproc
