// tenure/resource.h: containers whose memory is charged to a scope: a std::pmr::memory_resource and a standard
// allocator.
//
// Containers hold plain pointers that nothing can check, so their blocks do not end with the scope: closing it reports
// them, and they stay charged until they are given back. After that nothing new can be had: ClosedScope.
// Any thread. Both keep their scope's bookkeeping alive; a resource must outlive its containers, an allocator lives in
// them.
#pragma once
#include <cstddef>
#include <memory>
#include <memory_resource>
#include <new>
#include <string_view>
#include <type_traits>

#include "tenure/scope.h"

namespace tenure {

namespace lib {
struct ResourceAccount;
}

class ScopeResource final : public std::pmr::memory_resource {
 public:
  ScopeResource(Scope& scope, std::string_view name, SourceLine where = SourceLine::current());
  ScopeResource(Scope&&, std::string_view, SourceLine = {}) = delete;
  ScopeResource(const ScopeResource&) = delete;
  ScopeResource& operator=(const ScopeResource&) = delete;
  ~ScopeResource() override = default;

  // Handed out and not yet given back.
  [[nodiscard]] std::size_t live_bytes() const;
  [[nodiscard]] std::size_t live_blocks() const;

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override;
  [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override {
    return this == &other;
  }

  std::shared_ptr<detail::ScopeNode> node_;
  lib::ResourceAccount* account_;  // of the node
  SourceLine made_at_;
};

template <class T>
class Allocator {
 public:
  using value_type = T;
  using propagate_on_container_copy_assignment = std::true_type;
  using propagate_on_container_move_assignment = std::true_type;
  using propagate_on_container_swap = std::true_type;

  Allocator(Scope& scope, std::string_view name, SourceLine where = SourceLine::current())
      : resource_(std::make_shared<ScopeResource>(scope, name, where)) {}
  Allocator(Scope&&, std::string_view, SourceLine = {}) = delete;
  template <class U>
  Allocator(const Allocator<U>& other) noexcept : resource_(other.resource_) {}

  [[nodiscard]] T* allocate(std::size_t count) {
    if (count > kUnlimited / sizeof(T)) throw std::bad_array_new_length();
    return static_cast<T*>(resource_->allocate(count * sizeof(T), alignof(T)));
  }
  void deallocate(T* p, std::size_t count) noexcept {
    resource_->deallocate(p, count * sizeof(T), alignof(T));
  }

  [[nodiscard]] const ScopeResource& resource() const noexcept { return *resource_; }

  template <class U>
  friend bool operator==(const Allocator& a, const Allocator<U>& b) noexcept {
    return &a.resource() == &b.resource();
  }

 private:
  template <class>
  friend class Allocator;
  std::shared_ptr<ScopeResource> resource_;
};

}  // namespace tenure
