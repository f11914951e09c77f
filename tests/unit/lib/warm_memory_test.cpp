// Warm memory: ended blocks come back, within a bound.
#include "tenure/warm_memory.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "tenure/buffer.h"

namespace tenure {
namespace {

TEST(WarmMemory, size_classes_hold_their_sizes_and_waste_at_most_an_eighth) {
  for (std::size_t bytes = 1024; bytes < 3'000'000'000; bytes += bytes / 7 + 1) {
    WarmMemory::SizeClass size = WarmMemory::class_of(bytes);
    EXPECT_GE(size.bytes, bytes);
    EXPECT_LE(size.bytes - bytes, bytes / 8);
    EXPECT_EQ((size.index % 8 + 9) << (size.index / 8), size.bytes);
    EXPECT_EQ(WarmMemory::class_of(size.bytes).index, size.index);
  }
}

TEST(WarmMemory, an_ended_block_serves_the_next_of_its_size) {
  WarmMemory warm;
  void* first = warm.allocate(100'000, 64);
  warm.deallocate(first, 100'000, 64);
  EXPECT_GE(warm.kept_bytes(), 100'000U);
  void* second = warm.allocate(100'100, 16);
  EXPECT_EQ(second, first);
  EXPECT_EQ(warm.kept_bytes(), 0U);
  warm.deallocate(second, 100'100, 16);
}

TEST(WarmMemory, keeps_no_more_than_it_may) {
  WarmMemory warm(150'000);
  void *one = warm.allocate(100'000, 64), *two = warm.allocate(100'000, 64);
  warm.deallocate(one, 100'000, 64);
  warm.deallocate(two, 100'000, 64);
  EXPECT_LE(warm.kept_bytes(), 150'000U);
  warm.release();
  EXPECT_EQ(warm.kept_bytes(), 0U);
}

TEST(WarmMemory, honours_every_alignment) {
  WarmMemory warm;
  for (std::size_t alignment = 1; alignment <= 4096; alignment *= 2) {
    void* p = warm.allocate(5000, alignment);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % alignment, 0U);
    warm.deallocate(p, 5000, alignment);
  }
}

TEST(WarmMemory, serves_the_buffers_of_a_scope) {
  WarmMemory warm;
  Scope scope(ScopeKind::session, "s", {.memory = &warm});
  float* before = nullptr;
  {
    Buffer<float> first(scope, "first", 50'000);
    before = first.data();
  }
  Buffer<float> second(scope, "second", 50'000);
  EXPECT_EQ(second.data(), before);
}

}  // namespace
}  // namespace tenure
