// lib/closing.cpp: how a scope closes: who is in the way, the wait, the order of the ends.
#include <exception>
#include <vector>

#include "lib/journal.h"
#include "lib/ledger_link.h"
#include "lib/open_scopes.h"
#include "lib/scope_node.h"

namespace tenure::detail {

using lib::Mark;
using lib::Record;
using lib::RecordList;

bool ScopeNode::has_leases() const noexcept {
  bool is_any = false;
  each_record([&](const Record& record) { is_any = is_any || record.leases() > 0; });
  return is_any;
}

// A lease may end at any moment, also between two looks at it: who has none in its history was not in the way.
std::vector<History> ScopeNode::leased_locked() const {
  std::vector<History> leased;
  each_record([&](const Record& record) {
    if (record.leases() == 0) return;
    History history = record.scope->history_locked(record, History::Subject::buffer);
    if (history.used) leased.push_back(std::move(history));
  });
  return leased;
}

void ScopeNode::refuse_if_leased() const {
  std::vector<History> leased = leased_locked();
  if (leased.empty()) return;
  std::string what = title() + " cannot be closed: ";
  for (const History& history : leased) {
    if (&history != &leased.front()) what += ", ";
    what += "buffer `" + history.name + "` is in use since " + history.used->where();
  }
  throw BufferInUse(what, std::move(leased));
}

// Throws BufferInUse when the limit is over; then everything is as before.
void ScopeNode::wait_for_leases(Lock& lock) {
  phase_ = Phase::closing;
  each_record([](Record& record) { record.stop_leases(); });
  auto is_over = [&] { return phase_ == Phase::closed || !has_leases(); };
  bool is_in_time = true;
  if (options.wait_limit == std::chrono::milliseconds::max())
    tree->last_lease_ended.wait(lock, is_over);
  else
    is_in_time = tree->last_lease_ended.wait_for(lock, options.wait_limit, is_over);
  if (phase_ != Phase::closing) return;
  phase_ = Phase::open;
  if (is_in_time) return;
  if (takes_more()) each_record([](Record& record) { record.allow_leases(); });
  refuse_if_leased();
}

void ScopeNode::end_all(const Mark& mark, const Words& by, RecordList& to_free) noexcept {
  while (!children_.empty()) {
    children_.back()->end_all(mark, by, to_free);
    children_.pop_back();
  }
  lib::Fill fill{record_count_, live_bytes_};
  while (std::shared_ptr<Record> record = records_.take_first()) {
    record->ended = mark;
    record->ended_by = by;
    take_charge(record->memory.bytes);
    if (record->leave_live(State::ended)) to_free.add_last(std::move(record));
  }
  phase_ = Phase::closed;
  ended_ = mark;
  ended_by_ = by;
  record_count_ = 0;
  lib::ledger_link().scope_ended(told(), mark, fill);
}

void ScopeNode::finish(Lock lock, const Mark& mark, const Words& by) noexcept {
  RecordList to_free;
  end_all(mark, by, to_free);
  if (parent) std::erase(parent->children_, this);
  lock.unlock();
  if (!parent) lib::open_scopes().remove(this);
  while (std::shared_ptr<Record> record = to_free.take_first()) record->memory.give_back();
}

LeakReport ScopeNode::close(const Mark& mark) {
  Lock lock = locked();
  if (phase_ == Phase::open && has_leases()) {
    if (options.on_busy == OnBusy::refuse)
      refuse_if_leased();
    else
      wait_for_leases(lock);
  }
  if (phase_ != Phase::open) return {path(), false, 0, {}};
  LeakReport report = survivors_locked();
  auto by = std::make_shared<const std::string>("closing " + title());
  finish(std::move(lock), mark, by);
  if (!report.is_clean()) lib::journal().closed(report);
  return report;
}

void ScopeNode::close_in_destructor(const Mark& mark) noexcept {
  try {
    close(mark);
  } catch (
      const std::exception&) {  // leased, or too little memory to tell of it: this needs neither
    Lock lock = locked();
    if (phase_ == Phase::open) finish(std::move(lock), mark, nullptr);
  }
}

}  // namespace tenure::detail
