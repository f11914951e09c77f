// tenure/warm_memory.h: a memory resource that keeps ended blocks and hands them out again, their pages still in place.
// A large block fresh from the system costs a page fault for every page; a training loop asks for the same sizes in
// every step.
// Any thread; one mutex, held for a list operation. Give it to a scope: {.memory = &warm}. It must outlive the scope's
// memory.
#pragma once
#include <array>
#include <cstddef>
#include <memory_resource>
#include <mutex>

namespace tenure {

class WarmMemory final : public std::pmr::memory_resource {
 public:
  // Keeps at most so many bytes of ended blocks; what comes beyond goes back to `upstream`.
  explicit WarmMemory(
      std::size_t most_kept_bytes = std::size_t{1} << 28,
      std::pmr::memory_resource* upstream = std::pmr::new_delete_resource()) noexcept
      : upstream_(upstream), most_kept_bytes_(most_kept_bytes) {}
  ~WarmMemory() override { release(); }
  WarmMemory(const WarmMemory&) = delete;
  WarmMemory& operator=(const WarmMemory&) = delete;

  void release() noexcept;  // all that is kept
  [[nodiscard]] std::size_t kept_bytes() const;

  // Sizes are rounded up to an eighth of their power of two, so at most an eighth is wasted.
  struct SizeClass {
    std::size_t index, bytes;
  };
  [[nodiscard]] static SizeClass class_of(std::size_t bytes) noexcept;

 private:
  struct Kept {  // in the first bytes of an ended block
    Kept* next;
  };
  static constexpr std::size_t kClasses = 64 * 8;

  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override;
  [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override {
    return this == &other;
  }

  std::pmr::memory_resource* const upstream_;
  const std::size_t most_kept_bytes_;
  mutable std::mutex mutex_;
  std::array<Kept*, kClasses> kept_{};  // guarded by mutex_
  std::size_t kept_bytes_ = 0;          // guarded by mutex_
};

}  // namespace tenure
