#include "inproc/accounting/history.h"

#include "inproc/os/spin_lock.h"

namespace tenure::inproc {

using ledger::Cause;
using ledger::LifetimeError;
using ledger::Scope;
using ledger::TableId;
using ledger::Writer;

namespace {

bool is_same(const LifetimeError& a, const LifetimeError& b) noexcept {
  if (a.kind != b.kind || a.place_count != b.place_count) return false;
  for (uint32_t i = 0; i < a.place_count; ++i) {
    if (a.places[i].role != b.places[i].role || a.places[i].stack != b.places[i].stack)
      return false;
  }
  return true;
}

}  // namespace

void History::start(Writer* ledger, SeriesTable* series) noexcept {
  ledger_ = ledger;
  series_ = series;
  lock_.store(0, std::memory_order_relaxed);  // a forked child starts anew
}

uint32_t History::add_scope(StringId kind, StringId name, StackId born) noexcept {
  SpinGuard guard(lock_, LockRank::history);
  uint32_t index = ledger_->claim(TableId::scopes, 1);
  if (index == Writer::kNone) return 0;
  Scope& added = *ledger_->record<Scope>(TableId::scopes, index);
  added.kind = kind;
  added.name = name;
  added.born = born;
  added.born_tick = now();
  ledger_->publish(TableId::scopes, index + 1);
  return index;
}

Scope* History::scope(uint32_t index) noexcept {
  bool is_one = index > 0 && index < ledger_->used(TableId::scopes);
  return is_one ? ledger_->record<Scope>(TableId::scopes, index) : nullptr;
}

void History::set_state(uint32_t index, StringId state, StackId where) noexcept {
  SpinGuard guard(lock_, LockRank::history);
  Scope* changed = scope(index);
  if (!changed) return;
  changed->state = state;
  changed->ended = where;
  changed->ended_tick = now();
}

void History::set_fill(uint32_t index, uint64_t items, uint64_t bytes) noexcept {
  SpinGuard guard(lock_, LockRank::history);
  Scope* filled = scope(index);
  if (!filled) return;
  filled->items = items;
  filled->bytes = bytes;
}

void History::add_lifetime_error(const LifetimeError& error) noexcept {
  SpinGuard guard(lock_, LockRank::history);
  for (uint32_t i = 1; i < ledger_->used(TableId::lifetime_errors); ++i) {
    LifetimeError& known = *ledger_->record<LifetimeError>(TableId::lifetime_errors, i);
    if (!is_same(known, error)) continue;
    ++known.count;
    return;
  }
  uint32_t index = ledger_->claim(TableId::lifetime_errors, 1);
  if (index == Writer::kNone) return;
  LifetimeError& added = *ledger_->record<LifetimeError>(TableId::lifetime_errors, index);
  added = error;
  added.count = 1;
  added.tick = now();
  ledger_->publish(TableId::lifetime_errors, index + 1);
}

void History::count_cause(StringId key, const Cause& cause) noexcept {
  SeriesKey wanted{};
  wanted.kind = ledger::SeriesKind::cause;
  wanted.owner = key.value;
  SeriesId series = series_->find(wanted);
  if (series == kNotKept) return;
  series_->count(series, Move::backwards);
  SpinGuard guard(lock_, LockRank::history);
  for (uint32_t i = 1; i < ledger_->used(TableId::causes); ++i) {
    if (ledger_->record<Cause>(TableId::causes, i)->series == series) return;
  }
  uint32_t index = ledger_->claim(TableId::causes, 1);
  if (index == Writer::kNone) return;
  Cause& added = *ledger_->record<Cause>(TableId::causes, index);
  added = cause;
  added.series = series;
  ledger_->publish(TableId::causes, index + 1);
}

}  // namespace tenure::inproc
