// tenure/scope.h: a session, graph, request or step that owns buffers; closing it ends what it owns.
//
// Scopes form trees. Closing one first closes its children, newest first, then ends its own buffers, newest first, so
// nothing outlives what it was made from. The results of every other order are defined:
//   closing twice                     the second report says was_open == false, nothing else happens
//   closing a parent first            its children are closed with it; their handles stay valid and say so
//   destroying with live children     the same as closing; a destructor never throws
//   using a closed scope              ClosedScope, with the history of the scope
//
// Any thread may use any scope. Each tree has one mutex, held for list operations only: never while memory is given
// back, a close waits, or a buffer is checked or leased.
#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <memory_resource>
#include <string>
#include <string_view>

#include "tenure/history.h"
#include "tenure/leak_report.h"

namespace tenure {

namespace detail {
class ScopeNode;
}

enum class ScopeKind : std::uint8_t { session, graph, request, step };

// What close() does when a buffer of the scope, or of a child, is leased.
enum class OnBusy : std::uint8_t {
  refuse,  // throw BufferInUse; nothing has changed
  wait,    // give no new leases and wait for those that are out
};

inline constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();

struct ScopeOptions {
  std::size_t budget_bytes = kUnlimited;  // of the scope with all its children
  OnBusy on_busy = OnBusy::refuse;
  std::chrono::milliseconds wait_limit = std::chrono::milliseconds::max();  // then BufferInUse
  bool has_full_stacks = false;  // of births, ends and failed uses; children do the same
  std::pmr::memory_resource* memory = nullptr;  // null: the parent's, at the top new and delete
};

class [[nodiscard]] Scope {
 public:
  Scope(ScopeKind kind, std::string_view name, ScopeOptions options = {},
        SourceLine where = SourceLine::current());

  Scope(Scope&& other) noexcept;
  Scope& operator=(Scope&& other) noexcept;  // closes what was held before, as the destructor does

  // Closes. Where close() would refuse, leased buffers end now and their memory is given back by the last lease.
  ~Scope();

  // A child.
  Scope open(ScopeKind kind, std::string_view name, ScopeOptions options = {},
             SourceLine where = SourceLine::current()) &;
  Scope open(ScopeKind, std::string_view, ScopeOptions = {}, SourceLine = {}) && = delete;

  // Says what it had to end. Throws BufferInUse as the options say.
  LeakReport close(SourceLine where = SourceLine::current());

  [[nodiscard]] bool is_open() const noexcept;
  [[nodiscard]] ScopeKind kind() const noexcept;
  [[nodiscard]] const std::string& name() const noexcept;
  [[nodiscard]] std::string path() const;  // "session serving / request r1"

  // With all children.
  [[nodiscard]] std::size_t live_bytes() const;
  [[nodiscard]] std::size_t peak_bytes() const;
  [[nodiscard]] std::size_t live_buffers() const;

  [[nodiscard]] History history() const;
  [[nodiscard]] LeakReport survivors() const;  // what close() would have to end now

  [[nodiscard]] const std::shared_ptr<detail::ScopeNode>& node() const noexcept { return node_; }

 private:
  explicit Scope(std::shared_ptr<detail::ScopeNode> node) noexcept;
  std::shared_ptr<detail::ScopeNode> node_;  // null in a moved-from scope, which is closed
};

[[nodiscard]] const char* to_text(ScopeKind kind) noexcept;

}  // namespace tenure
