// lib/scope_node.h: a scope as its tree sees it: parent, children, buffers, charges, and how it closes.
// World: the C++ library. Any thread. What is below "guarded" is read and changed under the tree's mutex only.
#pragma once
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "lib/ledger_link.h"
#include "lib/record.h"
#include "tenure/scope.h"

namespace tenure::lib {

struct Tree {
  std::mutex mutex;
  std::condition_variable last_lease_ended;
};

// What a memory resource of a scope has handed out. Such blocks have no handles that could be checked, so they do not
// end with the scope; they are told of and stay charged until they are given back.
struct ResourceAccount {
  std::string name;
  Mark born;
  std::size_t blocks = 0;
  std::size_t bytes = 0;
};

class Owners;

}  // namespace tenure::lib

namespace tenure::detail {

class ScopeNode : public std::enable_shared_from_this<ScopeNode> {
 public:
  using Lock = std::unique_lock<std::mutex>;

  // Throws ClosedScope when the parent is closed.
  static std::shared_ptr<ScopeNode> make(std::shared_ptr<ScopeNode> parent, ScopeKind kind,
                                         std::string_view name, const ScopeOptions& options,
                                         SourceLine where);

  const std::shared_ptr<ScopeNode> parent;
  const std::shared_ptr<lib::Tree> tree;
  const ScopeKind kind;
  const std::string name;
  const ScopeOptions options;  // `memory` is never null, `has_full_stacks` includes the parents'
  const lib::Mark born;
  std::uint32_t ledger_id = 0;  // under `tenure run`; set before the scope is shared

  [[nodiscard]] std::string title() const;  // "request `r1`"
  [[nodiscard]] std::string path() const;   // "session serving / request r1"
  [[nodiscard]] lib::ToldScope told() const noexcept { return {kind, name, born, ledger_id}; }
  [[nodiscard]] Lock locked() const { return Lock(tree->mutex); }

  // `scope` must have a node: throws ClosedScope for one that was moved from.
  static ScopeNode& of(const Scope& scope, SourceLine where);

  // Throws ClosedScope, or OverBudget before anything is changed.
  void charge(std::size_t bytes, SourceLine where);
  void uncharge(std::size_t bytes) noexcept;
  // The same for a block of a resource.
  void charge(lib::ResourceAccount& account, std::size_t bytes, SourceLine where);
  void uncharge(lib::ResourceAccount& account, std::size_t bytes) noexcept;

  // The bytes must have been charged. Throws ClosedScope; the memory is still the caller's then.
  void add(const std::shared_ptr<lib::Record>& record, SourceLine where);
  // Nothing when it is no longer live.
  void end(lib::Record& record, const lib::Mark& mark) noexcept;
  // The memory of `record`, of this scope, goes to a new record of `to`. Null: it is no longer live.
  std::shared_ptr<lib::Record> detach(lib::Record& record, ScopeNode& to, SourceLine where);

  // The account lives as long as the node. Its figures are guarded.
  lib::ResourceAccount& open_account(std::string name, SourceLine where);

  LeakReport close(const lib::Mark& mark);
  void close_in_destructor(const lib::Mark& mark) noexcept;

  [[nodiscard]] bool is_open() const;
  [[nodiscard]] std::size_t live_bytes() const;
  [[nodiscard]] std::size_t peak_bytes() const;
  [[nodiscard]] std::size_t live_buffers() const;
  [[nodiscard]] History history() const;
  [[nodiscard]] LeakReport survivors() const;

  // A history of one of its buffers.
  [[nodiscard]] History history_of(const lib::Record& record, History::Subject subject) const;

  ScopeNode(std::shared_ptr<ScopeNode> parent, ScopeKind kind, std::string_view name,
            const ScopeOptions& options, SourceLine where);  // for make()

 private:
  enum class Phase : std::uint8_t { open, closing /*waits for leases*/, closed };

  // All of these need the lock.
  [[nodiscard]] bool takes_more() const noexcept;  // neither it nor a parent is closing
  void require_open(Lock& lock, SourceLine where) const;
  void require_room(Lock& lock, std::size_t bytes, SourceLine where) const;
  [[nodiscard]] const ScopeNode* over_budget(std::size_t bytes) const noexcept;
  [[nodiscard]] OverBudget over_budget_error(const ScopeNode& whose, std::size_t bytes) const;
  void add_charge(std::size_t bytes) noexcept;
  void take_charge(std::size_t bytes) noexcept;
  void recharge(lib::Record& record, ScopeNode& to);
  [[nodiscard]] History history_locked() const;
  [[nodiscard]] History history_locked(const lib::Record& record, History::Subject subject) const;
  [[nodiscard]] LeakReport survivors_locked() const;
  [[nodiscard]] std::vector<History> leased_locked() const;
  void refuse_if_leased() const;  // throws BufferInUse
  [[nodiscard]] bool has_leases() const noexcept;
  void wait_for_leases(Lock& lock);
  using Words = std::shared_ptr<const std::string>;
  void end_all(const lib::Mark& mark, const Words& by, lib::RecordList& to_free) noexcept;
  void finish(Lock lock, const lib::Mark& mark, const Words& by) noexcept;  // gives the lock up
  void add_owners(lib::Owners& owners) const;
  void add_account_owners(lib::Owners& owners) const;
  template <class Visit>
  void each_record(const Visit& visit) const;  // children first, newest first: the order of ending

  // guarded
  Phase phase_ = Phase::open;
  std::vector<ScopeNode*> children_;  // open ones, oldest first; their own handles keep them alive
  lib::RecordList records_;
  std::size_t record_count_ = 0;
  std::vector<std::unique_ptr<lib::ResourceAccount>> accounts_;
  std::size_t live_bytes_ = 0;  // of the children too
  std::size_t peak_bytes_ = 0;
  lib::Mark ended_;
  Words ended_by_;
};

template <class Visit>
void ScopeNode::each_record(const Visit& visit) const {
  for (auto child = children_.rbegin(); child != children_.rend(); ++child)
    (*child)->each_record(visit);
  for (lib::Record* record = records_.first(); record; record = lib::RecordList::next(*record))
    visit(*record);
}

}  // namespace tenure::detail
