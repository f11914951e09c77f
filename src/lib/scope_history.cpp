// lib/scope_history.cpp: what a scope can tell: of itself, of its buffers, of what is still live in it.
#include <limits>

#include "lib/owners.h"
#include "lib/scope_node.h"

namespace tenure::detail {

using lib::Record;

namespace {

std::string in_words(const std::shared_ptr<const std::string>& by, const char* otherwise) {
  return by ? *by : otherwise;
}

// Who made a scope's end known only by its code is the block that held it.
std::string end_of_block(const lib::Mark& born) {
  lib::Mark block = born;
  block.stack = nullptr;
  return "the end of the block of " + lib::to_event(block, "").where();
}

}  // namespace

History ScopeNode::history_locked() const {
  History history;
  history.subject = History::Subject::scope;
  history.name = title();
  history.scope = path();
  history.bytes = live_bytes_;
  history.born = lib::to_event(born, "");
  if (phase_ == Phase::open) return history;
  history.state = State::ended;
  if (phase_ == Phase::closed) {
    std::string by = in_words(ended_by_, "its destructor");
    if (ended_.line.line() == 0) by += ", at " + end_of_block(born);
    history.ended = lib::to_event(ended_, std::move(by));
  }
  return history;
}

History ScopeNode::history_locked(const Record& record, History::Subject subject) const {
  History history;
  history.subject = subject;
  history.name = record.name;
  history.scope = path();
  history.state = record.state();
  history.bytes = record.memory.bytes;
  history.born = lib::to_event(record.born, "");
  if (history.state != State::live)
    history.ended = lib::to_event(record.ended, in_words(record.ended_by, "its owner"));
  if (record.leases() > 0) {
    lib::Mark lease{record.leased_at.load(std::memory_order_relaxed),
                    nullptr,
                    record.leased_by.load(std::memory_order_relaxed),
                    {},
                    nullptr};
    history.used = lib::to_event(lease, "a lease");
  }
  return history;
}

History ScopeNode::history() const {
  Lock lock = locked();
  return history_locked();
}

History ScopeNode::history_of(const Record& record, History::Subject subject) const {
  Lock lock = locked();
  return history_locked(record, subject);
}

void ScopeNode::add_owners(lib::Owners& owners) const {
  each_record([&](const Record& record) {
    owners.add(record.scope->path(), record.name, record.born, 1, record.memory.bytes);
  });
  add_account_owners(owners);
}

void ScopeNode::add_account_owners(lib::Owners& owners) const {
  for (const ScopeNode* child : children_) child->add_account_owners(owners);
  for (const auto& account : accounts_) {
    if (account->blocks > 0)
      owners.add(path(), account->name, account->born, account->blocks, account->bytes);
  }
}

LeakReport ScopeNode::survivors_locked() const {
  lib::Owners owners;
  add_owners(owners);
  return {path(), true, owners.bytes(), owners.biggest(std::numeric_limits<std::size_t>::max())};
}

LeakReport ScopeNode::survivors() const {
  Lock lock = locked();
  return survivors_locked();
}

}  // namespace tenure::detail
