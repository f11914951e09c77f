#include "lib/scope_node.h"

#include <algorithm>

#include "lib/open_scopes.h"
#include "lib/owners.h"
#include "lib/words.h"

namespace tenure::detail {

using lib::Mark;
using lib::Record;

namespace {

constexpr std::size_t kToldOwners = 5;

ScopeOptions inherited(const ScopeNode* parent, ScopeOptions options) {
  if (!options.memory)
    options.memory = parent ? parent->options.memory : std::pmr::new_delete_resource();
  if (parent && parent->options.has_full_stacks) options.has_full_stacks = true;
  return options;
}

}  // namespace

ScopeNode::ScopeNode(std::shared_ptr<ScopeNode> above, ScopeKind kind, std::string_view name,
                     const ScopeOptions& options, SourceLine where)
    : parent(std::move(above)),
      tree(parent ? parent->tree : std::make_shared<lib::Tree>()),
      kind(kind),
      name(name),
      options(inherited(parent.get(), options)),
      born(lib::mark_line(where, this->options.has_full_stacks)) {}

std::shared_ptr<ScopeNode> ScopeNode::make(std::shared_ptr<ScopeNode> parent, ScopeKind kind,
                                           std::string_view name, const ScopeOptions& options,
                                           SourceLine where) {
  auto node = std::make_shared<ScopeNode>(std::move(parent), kind, name, options, where);
  ScopeNode* above = node->parent.get();
  if (above) {
    Lock lock = above->locked();
    above->require_open(lock, where);
    above->children_.push_back(node.get());
  } else {
    lib::open_scopes().add(node.get(), [weak = node->weak_from_this()] {
      auto open = weak.lock();
      return open ? open->survivors() : LeakReport{};
    });
  }
  node->ledger_id = lib::ledger_link().scope_born(node->told());
  return node;
}

ScopeNode& ScopeNode::of(const Scope& scope, SourceLine where) {
  if (scope.node()) return *scope.node();
  History history;
  history.subject = History::Subject::scope;
  history.name = "a scope that was moved from";
  history.state = State::ended;
  history.used = lib::to_event(lib::mark_line(where, false), "");
  history.fix = "use the scope it was moved to";
  throw ClosedScope(std::move(history));
}

std::string ScopeNode::title() const { return lib::scope_title(kind, name); }

std::string ScopeNode::path() const {
  std::string here = std::string(to_text(kind)) + " " + name;
  return parent ? parent->path() + " / " + here : here;
}

bool ScopeNode::takes_more() const noexcept {
  for (const ScopeNode* node = this; node; node = node->parent.get()) {
    if (node->phase_ != Phase::open) return false;
  }
  return true;
}

// Gives the lock up before it throws: telling the ledger takes time.
void ScopeNode::require_open(Lock& lock, SourceLine where) const {
  if (takes_more()) return;
  const ScopeNode* closed = this;
  while (closed->phase_ == Phase::open) closed = closed->parent.get();
  History history = closed->history_locked();
  lock.unlock();
  history.used = lib::to_event(lib::mark_line(where, options.has_full_stacks), "");
  history.fix = "do this before " + closed->title() + " is closed, or in a scope that is open";
  bool is_session = closed->kind == ScopeKind::session;
  lib::tell_error(is_session ? Kind::closed_session : Kind::out_of_scope, "tenure::ClosedScope",
                  history);
  throw ClosedScope(std::move(history));
}

const ScopeNode* ScopeNode::over_budget(std::size_t bytes) const noexcept {
  for (const ScopeNode* node = this; node; node = node->parent.get()) {
    std::size_t left =
        node->options.budget_bytes - std::min(node->live_bytes_, node->options.budget_bytes);
    if (bytes > left) return node;
  }
  return nullptr;
}

OverBudget ScopeNode::over_budget_error(const ScopeNode& whose, std::size_t bytes) const {
  lib::Owners owners;
  whose.add_owners(owners);
  return OverBudget({whose.path(), whose.options.budget_bytes, whose.live_bytes_, bytes,
                     owners.biggest(kToldOwners)});
}

void ScopeNode::add_charge(std::size_t bytes) noexcept {
  for (ScopeNode* node = this; node; node = node->parent.get()) {
    node->live_bytes_ += bytes;
    node->peak_bytes_ = std::max(node->peak_bytes_, node->live_bytes_);
  }
}

void ScopeNode::take_charge(std::size_t bytes) noexcept {
  for (ScopeNode* node = this; node; node = node->parent.get()) node->live_bytes_ -= bytes;
}

void ScopeNode::require_room(Lock& lock, std::size_t bytes, SourceLine where) const {
  require_open(lock, where);
  if (const ScopeNode* whose = over_budget(bytes)) throw over_budget_error(*whose, bytes);
}

void ScopeNode::charge(std::size_t bytes, SourceLine where) {
  Lock lock = locked();
  require_room(lock, bytes, where);
  add_charge(bytes);
}

void ScopeNode::charge(lib::ResourceAccount& account, std::size_t bytes, SourceLine where) {
  Lock lock = locked();
  require_room(lock, bytes, where);
  add_charge(bytes);
  ++account.blocks;
  account.bytes += bytes;
}

void ScopeNode::uncharge(lib::ResourceAccount& account, std::size_t bytes) noexcept {
  Lock lock = locked();
  take_charge(bytes);
  --account.blocks;
  account.bytes -= bytes;
}

void ScopeNode::uncharge(std::size_t bytes) noexcept {
  Lock lock = locked();
  take_charge(bytes);
}

void ScopeNode::add(const std::shared_ptr<Record>& record, SourceLine where) {
  lib::Fill fill;
  {
    Lock lock = locked();
    require_open(lock, where);
    records_.add_first(record);
    fill = {++record_count_, live_bytes_};
  }
  lib::ledger_link().buffer_born(told(), *record, fill);
}

void ScopeNode::end(Record& record, const Mark& mark) noexcept {
  std::shared_ptr<Record> ended;  // outlives the lock: the handle may have been the last but us
  bool is_ours_to_free = false;
  {
    Lock lock = locked();
    if (!record.is_live()) return;
    record.ended = mark;
    is_ours_to_free = record.leave_live(State::ended);
    ended = records_.remove(record);
    --record_count_;
    take_charge(record.memory.bytes);
  }
  if (is_ours_to_free) ended->memory.give_back();
}

// Both trees at once, so that no close comes between; std::lock finds an order that cannot block for ever.
std::shared_ptr<Record> ScopeNode::detach(Record& record, ScopeNode& to, SourceLine where) {
  Lock here(tree->mutex, std::defer_lock), there(to.tree->mutex, std::defer_lock);
  if (tree == to.tree)
    here.lock();
  else
    std::lock(here, there);
  if (!record.is_live()) return nullptr;
  to.require_open(there.owns_lock() ? there : here, where);
  auto moved = std::make_shared<Record>(to.shared_from_this(), record.name, record.memory,
                                        lib::mark_line(where, to.options.has_full_stacks));
  auto by = std::make_shared<const std::string>("its owner, who moved the memory to " + to.title());
  recharge(record, to);
  record.ended = moved->born;
  record.ended_by = std::move(by);
  records_.remove(record);
  --record_count_;
  to.records_.add_first(moved);
  ++to.record_count_;
  return moved;
}

// Takes the charge first: a move within one budget costs nothing. Detaches, or throws and leaves all as it was.
void ScopeNode::recharge(Record& record, ScopeNode& to) {
  std::size_t bytes = record.memory.bytes;
  take_charge(bytes);
  const ScopeNode* whose = to.over_budget(bytes);
  if (!whose && record.detach_if_unleased()) {
    to.add_charge(bytes);
    return;
  }
  add_charge(bytes);
  if (whose) throw to.over_budget_error(*whose, bytes);
  throw BufferInUse("buffer `" + record.name + "` cannot be detached: it is in use",
                    {history_locked(record, History::Subject::buffer)});
}

lib::ResourceAccount& ScopeNode::open_account(std::string account_name, SourceLine where) {
  Lock lock = locked();
  require_open(lock, where);
  accounts_.push_back(std::make_unique<lib::ResourceAccount>(lib::ResourceAccount{
      std::move(account_name), lib::mark_line(where, options.has_full_stacks)}));
  return *accounts_.back();
}

bool ScopeNode::is_open() const {
  Lock lock = locked();
  return phase_ != Phase::closed;
}
std::size_t ScopeNode::live_bytes() const {
  Lock lock = locked();
  return live_bytes_;
}
std::size_t ScopeNode::peak_bytes() const {
  Lock lock = locked();
  return peak_bytes_;
}
std::size_t ScopeNode::live_buffers() const {
  Lock lock = locked();
  std::size_t count = 0;
  each_record([&](const Record&) { ++count; });
  return count;
}

}  // namespace tenure::detail
