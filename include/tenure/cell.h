// tenure/cell.h: the word that says whether a buffer may be used. Everything a check reads is here.
// Any thread. A check is one load and one compare; a lease is one compare-and-swap.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "tenure/event.h"
#include "tenure/history.h"

namespace tenure {

class Scope;

// Memory that somebody else gives back: what an importer brings into a scope.
struct ForeignMemory {
  void* data = nullptr;
  void (*give_back)(void* context) noexcept = nullptr;
  void* context = nullptr;
};

namespace detail {

// Two bits of state, one that stops new leases while a close waits, and the number of leases above them.
class Cell {
 public:
  static constexpr std::uint64_t kStateMask = 3;
  static constexpr std::uint64_t kClosing = 4;
  static constexpr std::uint64_t kOneLease = 8;

  Cell() = default;
  Cell(const Cell&) = delete;
  Cell& operator=(const Cell&) = delete;

  // Acquire: pairs with the release of the state's last change, so a history that is read after a failed check is
  // whole.
  [[nodiscard]] State state() const noexcept {
    return static_cast<State>(word_.load(std::memory_order_acquire) & kStateMask);
  }
  [[nodiscard]] bool is_live() const noexcept { return state() == State::live; }
  [[nodiscard]] std::uint64_t leases() const noexcept {
    return word_.load(std::memory_order_acquire) / kOneLease;
  }

 protected:
  ~Cell() = default;  // always destroyed as the record it is part of

  std::atomic<std::uint64_t> word_{0};
};

struct Storage {
  std::shared_ptr<Cell> cell;
  void* data = nullptr;
};

// Throws ClosedScope, OverBudget or std::bad_alloc; then nothing was made.
[[nodiscard]] Storage make_storage(Scope& scope, std::string_view name, std::size_t bytes,
                                   std::size_t alignment, SourceLine where);
// On a throw the memory is still the caller's.
[[nodiscard]] Storage adopt_storage(Scope& scope, std::string_view name, std::size_t bytes,
                                    const ForeignMemory& memory, SourceLine where);
// The memory goes to `to`; the old cell becomes detached. Throws DetachedBuffer, BufferInUse, ClosedScope, OverBudget.
[[nodiscard]] Storage move_storage(const std::shared_ptr<Cell>& cell, Scope& to, SourceLine where);

void end_storage(const std::shared_ptr<Cell>& cell, SourceLine where) noexcept;
void end_storage_in_destructor(const std::shared_ptr<Cell>& cell) noexcept;

// False: it is not live, or its scope is closing.
[[nodiscard]] bool try_lease(const std::shared_ptr<Cell>& cell, SourceLine where) noexcept;
void end_lease(const std::shared_ptr<Cell>& cell) noexcept;

// A null cell is that of a moved-from handle.
[[nodiscard]] History history_of(const std::shared_ptr<Cell>& cell, History::Subject subject);
[[noreturn]] void throw_detached(const std::shared_ptr<Cell>& cell, SourceLine where);
[[noreturn]] void throw_inaccessible(const std::shared_ptr<Cell>& cell, SourceLine where);

}  // namespace detail
}  // namespace tenure
