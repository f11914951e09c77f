// lib/buffer.cpp: what buffers, views and leases do beyond their checks.
#include <new>
#include <utility>

#include "lib/ledger_link.h"
#include "lib/scope_node.h"
#include "tenure/buffer.h"

namespace tenure::detail {

using lib::Mark;
using lib::Memory;
using lib::Record;

namespace {

Record& record_of(const std::shared_ptr<Cell>& cell) noexcept {
  return static_cast<Record&>(*cell);  // no other class is a Cell
}

// Charges a scope, and takes it back unless the storage came to be.
class Charge {
 public:
  Charge(ScopeNode& node, std::size_t bytes, SourceLine where) : node_(&node), bytes_(bytes) {
    node.charge(bytes, where);
  }
  Charge(const Charge&) = delete;
  Charge& operator=(const Charge&) = delete;
  ~Charge() {
    if (node_) node_->uncharge(bytes_);
  }
  void keep() noexcept { node_ = nullptr; }

 private:
  ScopeNode* node_;
  std::size_t bytes_;
};

Storage add_record(ScopeNode& node, std::string_view name, const Memory& memory, SourceLine where) {
  Mark born = lib::mark_line(where, node.options.has_full_stacks);
  auto record = std::make_shared<Record>(node.shared_from_this(), std::string(name), memory, born);
  node.add(record, where);
  return {std::move(record), memory.data};
}

std::string fix_for(const ScopeNode& scope, const History& history) {
  if (history.state == State::live) return "take leases before the scope is closed";
  if (history.state == State::detached) return "use the buffer that detach_to() returned";
  if (history.ended && history.ended->by == "its owner")
    return "use it before its owner ends it, or keep the owner longer";
  return "use it before " + scope.title() + " is closed, or make it in a scope that lives longer";
}

History failed_use(const std::shared_ptr<Cell>& cell, History::Subject subject, SourceLine where) {
  History history = history_of(cell, subject);
  bool is_full = cell && record_of(cell).scope->options.has_full_stacks;
  history.used = lib::to_event(lib::mark_line(where, is_full), "");
  if (cell) history.fix = fix_for(*record_of(cell).scope, history);
  return history;
}

}  // namespace

Storage make_storage(Scope& scope, std::string_view name, std::size_t bytes, std::size_t alignment,
                     SourceLine where) {
  if (bytes == kUnlimited) throw std::bad_array_new_length();
  ScopeNode& node = ScopeNode::of(scope, where);
  Charge charge(node, bytes, where);
  Memory memory{nullptr, bytes, alignment, node.options.memory, {}};
  memory.data = memory.source->allocate(memory.room(), alignment);
  try {
    Storage storage = add_record(node, name, memory, where);
    charge.keep();
    return storage;
  } catch (...) {
    memory.give_back();
    throw;
  }
}

Storage adopt_storage(Scope& scope, std::string_view name, std::size_t bytes,
                      const ForeignMemory& memory, SourceLine where) {
  ScopeNode& node = ScopeNode::of(scope, where);
  Charge charge(node, bytes, where);
  Storage storage = add_record(node, name, {memory.data, bytes, 0, nullptr, memory}, where);
  charge.keep();
  return storage;
}

Storage move_storage(const std::shared_ptr<Cell>& cell, Scope& to, SourceLine where) {
  if (!cell) throw_detached(cell, where);
  Record& record = record_of(cell);
  std::shared_ptr<Record> moved = record.scope->detach(record, ScopeNode::of(to, where), where);
  if (!moved) throw_detached(cell, where);
  void* data = moved->memory.data;
  return {std::move(moved), data};
}

void end_storage(const std::shared_ptr<Cell>& cell, SourceLine where) noexcept {
  ScopeNode& scope = *record_of(cell).scope;
  scope.end(record_of(cell), lib::mark_line(where, scope.options.has_full_stacks));
}

void end_storage_in_destructor(const std::shared_ptr<Cell>& cell) noexcept {
  if (!cell->is_live()) return;
  ScopeNode& scope = *record_of(cell).scope;
  scope.end(record_of(cell),
            lib::mark_code(__builtin_return_address(0), scope.options.has_full_stacks));
}

bool try_lease(const std::shared_ptr<Cell>& cell, SourceLine where) noexcept {
  Record& record = record_of(cell);
  if (!record.take_lease()) return false;
  record.leased_at.store(where, std::memory_order_relaxed);
  record.leased_by.store(std::this_thread::get_id(), std::memory_order_relaxed);
  return true;
}

void end_lease(const std::shared_ptr<Cell>& cell) noexcept {
  Record& record = record_of(cell);
  switch (record.drop_lease()) {
    case Record::LastLease::no:
    case Record::LastLease::yes:
      return;
    case Record::LastLease::ended:
      record.memory.give_back();
      return;
    case Record::LastLease::closing: {
      ScopeNode::Lock lock =
          record.scope->locked();  // so that the waiter is either before its test or asleep
      record.scope->tree->last_lease_ended.notify_all();
    }
  }
}

History history_of(const std::shared_ptr<Cell>& cell, History::Subject subject) {
  if (cell) return record_of(cell).scope->history_of(record_of(cell), subject);
  History history;
  history.subject = subject;
  history.name = "(moved from)";
  history.state = State::detached;
  return history;
}

void throw_detached(const std::shared_ptr<Cell>& cell, SourceLine where) {
  History history = failed_use(cell, History::Subject::buffer, where);
  lib::tell_error(Kind::detached_buffer, "tenure::DetachedBuffer", history);
  throw DetachedBuffer(std::move(history));
}

void throw_inaccessible(const std::shared_ptr<Cell>& cell, SourceLine where) {
  History history = failed_use(cell, History::Subject::tensor, where);
  lib::tell_error(Kind::detached_buffer, "tenure::InaccessibleTensor", history);
  throw InaccessibleTensor(std::move(history));
}

}  // namespace tenure::detail
