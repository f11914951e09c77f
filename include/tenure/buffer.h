// tenure/buffer.h: a named array in a scope, with one owner. It ends with its owner, or before, with its scope.
//
// Every use is checked: after its end a buffer throws DetachedBuffer with its history. A check is one load and one
// compare, and its answer holds as long as no other thread ends the buffer; against that, take a lease.
// Any thread may check, lease and end; the handle itself is an ordinary object: one thread at a time.
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "tenure/cell.h"
#include "tenure/lease.h"
#include "tenure/scope.h"

namespace tenure {

// Closing a scope runs no destructors of elements, so they may not have any.
template <class T>
concept Element = std::is_object_v<T> && !std::is_const_v<T> && std::is_trivially_copyable_v<T> &&
                  std::is_trivially_destructible_v<T>;

template <class T>
class [[nodiscard]] Buffer {
  static_assert(Element<T>, "a buffer holds plain values: closing its scope runs no destructors");

 public:
  // As for vectors of tensor libraries: whole cache lines.
  static constexpr std::size_t kAlignment = alignof(T) > 64 ? alignof(T) : 64;

  // The values are not initialised. Throws ClosedScope, OverBudget or std::bad_alloc.
  Buffer(Scope& scope, std::string_view name, std::size_t count,
         SourceLine where = SourceLine::current())
      : Buffer(detail::make_storage(scope, name, bytes_of(count), kAlignment, where), count) {}
  Buffer(Scope&&, std::string_view, std::size_t, SourceLine = {}) = delete;

  // Foreign memory, given back when the buffer ends.
  Buffer(Scope& scope, std::string_view name, std::size_t count, const ForeignMemory& memory,
         SourceLine where = SourceLine::current())
      : Buffer(detail::adopt_storage(scope, name, bytes_of(count), memory, where), count) {}

  Buffer(Buffer&& other) noexcept
      : cell_(std::move(other.cell_)), values_(std::exchange(other.values_, {})) {}
  Buffer& operator=(Buffer&& other) noexcept {
    Buffer(std::move(other)).swap(*this);
    return *this;
  }
  ~Buffer() {
    if (cell_) detail::end_storage_in_destructor(cell_);
  }

  [[nodiscard]] std::span<T> values(SourceLine where = SourceLine::current()) & {
    check(where);
    return values_;
  }
  [[nodiscard]] std::span<const T> values(SourceLine where = SourceLine::current()) const& {
    check(where);
    return values_;
  }
  std::span<T> values(SourceLine = {}) && = delete;  // the buffer ends before they are used

  [[nodiscard]] T* data(SourceLine where = SourceLine::current()) & { return values(where).data(); }
  [[nodiscard]] const T* data(SourceLine where = SourceLine::current()) const& {
    return values(where).data();
  }
  T* data(SourceLine = {}) && = delete;

  // Throws DetachedBuffer also while its scope waits to close.
  Lease<T> lease(SourceLine where = SourceLine::current()) & {
    take_lease(where);
    return Lease<T>(cell_, values_);
  }
  Lease<const T> lease(SourceLine where = SourceLine::current()) const& {
    take_lease(where);
    return Lease<const T>(cell_, values_);
  }
  Lease<T> lease(SourceLine = {}) && = delete;

  // Ends it now. Leased memory is given back by the last lease. Ending twice does nothing.
  void end(SourceLine where = SourceLine::current()) noexcept {
    if (cell_) detail::end_storage(cell_, where);
  }

  // The memory goes to another scope, under the same name; this handle and all views of it become detached.
  [[nodiscard]] Buffer detach_to(Scope& scope, SourceLine where = SourceLine::current()) {
    return Buffer(detail::move_storage(cell_, scope, where), values_.size());
  }

  [[nodiscard]] std::size_t size() const noexcept { return values_.size(); }
  [[nodiscard]] State state() const noexcept { return cell_ ? cell_->state() : State::detached; }
  [[nodiscard]] bool is_live() const noexcept { return state() == State::live; }
  [[nodiscard]] History history() const {
    return detail::history_of(cell_, History::Subject::buffer);
  }

  void swap(Buffer& other) noexcept {
    std::swap(cell_, other.cell_);
    std::swap(values_, other.values_);
  }

 private:
  template <class>
  friend class TensorView;

  Buffer(detail::Storage storage, std::size_t count) noexcept
      : cell_(std::move(storage.cell)), values_(static_cast<T*>(storage.data), count) {}

  // A product that does not fit asks for more than there can be, and is refused as such.
  static std::size_t bytes_of(std::size_t count) noexcept {
    return count > kUnlimited / sizeof(T) ? kUnlimited : count * sizeof(T);
  }
  void check(SourceLine where) const {
    if (!cell_ || !cell_->is_live()) [[unlikely]]
      detail::throw_detached(cell_, where);
  }
  void take_lease(SourceLine where) const {
    if (!cell_ || !detail::try_lease(cell_, where)) detail::throw_detached(cell_, where);
  }

  std::shared_ptr<detail::Cell> cell_;  // null in a moved-from buffer, which is detached
  std::span<T> values_;
};

}  // namespace tenure
