// What every way to get memory from a scope must keep. The battery runs over buffers, the memory resource and the
// allocator.
#include "tenure/resource.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <memory_resource>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tenure/buffer.h"
#include "tenure/errors.h"

namespace tenure {
namespace {

// Each interface as the battery sees it: take() hands out so many bytes, drop() gives the last ones back.
class ByBuffer {
 public:
  explicit ByBuffer(Scope& scope) : scope_(scope) {}
  char* take(std::size_t bytes) { return taken_.emplace_back(scope_, "block", bytes).data(); }
  void drop() { taken_.pop_back(); }

 private:
  Scope& scope_;
  std::vector<Buffer<char>> taken_;
};

template <class Source>
class ByBlocks {
 public:
  explicit ByBlocks(Scope& scope) : source_(scope) {}
  ~ByBlocks() {
    while (!taken_.empty()) drop();
  }
  ByBlocks(const ByBlocks&) = delete;
  ByBlocks& operator=(const ByBlocks&) = delete;
  char* take(std::size_t bytes) {
    return taken_.emplace_back(source_.allocate(bytes), bytes).first;
  }
  void drop() {
    auto [p, bytes] = taken_.back();
    taken_.pop_back();
    source_.deallocate(p, bytes);
  }

 private:
  Source source_;
  std::vector<std::pair<char*, std::size_t>> taken_;
};

struct FromResource {
  explicit FromResource(Scope& scope) : resource(scope, "resource") {}
  char* allocate(std::size_t bytes) { return static_cast<char*>(resource.allocate(bytes, 8)); }
  void deallocate(char* p, std::size_t bytes) { resource.deallocate(p, bytes, 8); }
  ScopeResource resource;
};
struct FromAllocator {
  explicit FromAllocator(Scope& scope) : allocator(scope, "allocator") {}
  char* allocate(std::size_t bytes) { return allocator.allocate(bytes); }
  void deallocate(char* p, std::size_t bytes) { allocator.deallocate(p, bytes); }
  Allocator<char> allocator;
};
// Pools of the standard library over ours, as programs use them.
struct FromPool {
  explicit FromPool(Scope& scope) : resource(scope, "pool"), pool(&resource) {}
  char* allocate(std::size_t bytes) { return static_cast<char*>(pool.allocate(bytes, 8)); }
  void deallocate(char* p, std::size_t bytes) { pool.deallocate(p, bytes, 8); }
  ScopeResource resource;
  std::pmr::unsynchronized_pool_resource pool;
};

template <class Interface>
class MemoryContract : public ::testing::Test {
 public:
  Scope scope{ScopeKind::session, "s", {.budget_bytes = 1 << 20}};
};
using Interfaces = ::testing::Types<ByBuffer, ByBlocks<FromResource>, ByBlocks<FromAllocator>>;
TYPED_TEST_SUITE(MemoryContract, Interfaces);

TYPED_TEST(MemoryContract, every_byte_is_charged_while_it_is_out) {
  TypeParam memory(this->scope);
  memory.take(100);
  memory.take(28);
  EXPECT_EQ(this->scope.live_bytes(), 128U);
  memory.drop();
  EXPECT_EQ(this->scope.live_bytes(), 100U);
  memory.drop();
  EXPECT_EQ(this->scope.live_bytes(), 0U);
  EXPECT_EQ(this->scope.peak_bytes(), 128U);
}

TYPED_TEST(MemoryContract, blocks_are_apart_and_writable_to_the_last_byte) {
  TypeParam memory(this->scope);
  std::minstd_rand random(1);
  std::vector<std::pair<char*, std::size_t>> blocks;
  for (int i = 0; i < 64; ++i) {
    std::size_t bytes = random() % 4096;
    char* p = memory.take(bytes);
    std::memset(p, i, bytes);
    blocks.emplace_back(p, bytes);
  }
  for (int i = 0; i < 64; ++i) {
    auto [p, bytes] = blocks[static_cast<std::size_t>(i)];
    EXPECT_EQ(std::string(p, bytes), std::string(bytes, static_cast<char>(i)));
  }
}

TYPED_TEST(MemoryContract, a_budget_refuses_before_the_allocation) {
  TypeParam memory(this->scope);
  memory.take(1 << 19);
  EXPECT_THROW(memory.take((1 << 19) + 1), OverBudget);
  EXPECT_THROW(memory.take((1 << 19) + 1), std::bad_alloc);
  EXPECT_EQ(this->scope.live_bytes(), std::size_t{1} << 19);
}

TYPED_TEST(MemoryContract, a_closed_scope_gives_nothing_and_takes_everything_back) {
  TypeParam memory(this->scope);
  memory.take(100);
  LeakReport report = this->scope.close();
  EXPECT_EQ(report.bytes, 100U);
  EXPECT_EQ(report.survivors.size(), 1U);
  EXPECT_THROW(memory.take(1), ClosedScope);
  memory.drop();
  EXPECT_EQ(this->scope.live_bytes(), 0U);
}

TYPED_TEST(MemoryContract, children_are_charged_to_their_parents) {
  Scope child = this->scope.open(ScopeKind::request, "r");
  TypeParam memory(child);
  memory.take(64);
  EXPECT_EQ(this->scope.live_bytes(), 64U);
  memory.drop();
  EXPECT_EQ(this->scope.live_bytes(), 0U);
}

TEST(ScopeResource, serves_the_pools_of_the_standard_library) {
  Scope scope(ScopeKind::session, "s");
  {
    ByBlocks<FromPool> memory(scope);
    memory.take(100);
    EXPECT_GE(scope.live_bytes(), 100U);
  }
  EXPECT_TRUE(scope.close().is_clean());
}

TEST(ScopeResource, is_named_in_the_report_of_its_scope) {
  Scope scope(ScopeKind::request, "r");
  ScopeResource resource(scope, "tokens");
  std::pmr::vector<int> tokens(1000, &resource);
  EXPECT_EQ(resource.live_blocks(), 1U);
  LeakReport report = scope.close();
  EXPECT_NE(report.text().find("`tokens` of request r"), std::string::npos) << report.text();
  EXPECT_EQ(tokens[999], 0);  // containers outlive the close unharmed
}

TEST(Allocator, lets_containers_outlive_their_scope) {
  auto scope = std::make_unique<Scope>(ScopeKind::request, "r");
  std::vector<int, Allocator<int>> numbers({1, 2, 3}, Allocator<int>(*scope, "numbers"));
  scope.reset();
  EXPECT_EQ(numbers.at(2), 3);
  EXPECT_THROW(numbers.reserve(100), ClosedScope);
}

TEST(Allocator, equality_follows_the_resource) {
  Scope scope(ScopeKind::request, "r");
  Allocator<int> one(scope, "one"), two(scope, "two");
  Allocator<char> rebound(one);
  EXPECT_TRUE(one == rebound);
  EXPECT_FALSE(one == two);
}

}  // namespace
}  // namespace tenure
