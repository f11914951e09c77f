#include "tenure/warm_memory.h"

#include <bit>
#include <new>
#include <utility>

namespace tenure {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kLeast = 1024;  // below, the upstream is as quick
constexpr std::size_t kMost = std::size_t{1} << 40;

bool is_kept(std::size_t bytes, std::size_t alignment) noexcept {
  return bytes >= kLeast && bytes <= kMost && alignment <= kAlignment;
}

}  // namespace

WarmMemory::SizeClass WarmMemory::class_of(std::size_t bytes) noexcept {
  unsigned shift =
      static_cast<unsigned>(std::bit_width(bytes - 1)) - 4;  // eight steps a power of two
  std::size_t step = std::size_t{1} << shift;
  std::size_t steps = (bytes + step - 1) / step;  // 9 to 16
  return {shift * 8 + (steps - 9), steps * step};
}

void* WarmMemory::do_allocate(std::size_t bytes, std::size_t alignment) {
  if (!is_kept(bytes, alignment)) return upstream_->allocate(bytes, alignment);
  SizeClass size = class_of(bytes);
  {
    std::lock_guard lock(mutex_);
    if (Kept*& first = kept_[size.index]) {
      kept_bytes_ -= size.bytes;
      return std::exchange(first, first->next);
    }
  }
  return upstream_->allocate(size.bytes, kAlignment);
}

void WarmMemory::do_deallocate(void* p, std::size_t bytes, std::size_t alignment) {
  if (!is_kept(bytes, alignment)) return upstream_->deallocate(p, bytes, alignment);
  SizeClass size = class_of(bytes);
  {
    std::lock_guard lock(mutex_);
    if (kept_bytes_ + size.bytes <= most_kept_bytes_) {
      kept_bytes_ += size.bytes;
      kept_[size.index] = new (p) Kept{kept_[size.index]};
      return;
    }
  }
  upstream_->deallocate(p, size.bytes, kAlignment);
}

void WarmMemory::release() noexcept {
  std::lock_guard lock(mutex_);
  for (std::size_t index = 0; index < kClasses; ++index) {
    std::size_t bytes = (index % 8 + 9) << (index / 8);
    while (Kept* first = kept_[index]) {
      kept_[index] = first->next;
      upstream_->deallocate(first, bytes, kAlignment);
    }
  }
  kept_bytes_ = 0;
}

std::size_t WarmMemory::kept_bytes() const {
  std::lock_guard lock(mutex_);
  return kept_bytes_;
}

}  // namespace tenure
