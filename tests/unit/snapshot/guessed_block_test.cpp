// Addresses in, sizes of blocks out; from addresses that are none's, nothing and no fault.
#include "inproc/snapshot/guessed_block.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <cstring>
#include <memory>

namespace tenure::inproc {
namespace {

uint64_t address_of(const void* p) { return reinterpret_cast<uint64_t>(p); }

TEST(GuessedBlock, ABlockOfLibcHasAtLeastWhatWasAskedFor) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the heap of a sanitizer writes no sizes before its blocks";
#endif
  ReadablePages pages;
  for (size_t bytes : {16, 24, 100, 464, 4000, 16000}) {
    void* p = malloc(bytes);
    void* behind = malloc(16);
    uint64_t found = guessed_block_bytes(pages, address_of(p));
    EXPECT_GE(found, bytes);
    EXPECT_LE(found, bytes + 32);
    free(behind);
    free(p);
  }
}

// What torch leaves in memory that it does not use: a word that looks like a size leads behind the end of what is mapped.
TEST(GuessedBlock, AWordThatOnlyLooksLikeASizeIsNotFollowed) {
  constexpr uint64_t kPage = 4096;
  char* page = static_cast<char*>(
      mmap(nullptr, 2 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_EQ(munmap(page + kPage, kPage), 0);
  ReadablePages pages;
  for (uint64_t size : {0x20ull, 0x1001ull, 0x2fe1ull, 0x7fffffffffffull, ~0ull}) {
    std::memcpy(page + kPage - 40, &size, sizeof size);
    EXPECT_EQ(guessed_block_bytes(pages, address_of(page + kPage - 32)), 0u) << size;
  }
  munmap(page, kPage);
}

// A word of the program's may lead where the walk has just put a table of its own, which moves on when it grows.
TEST(GuessedBlock, TablesOfTheWalkAreNotRead) {
  ReadablePages pages;
  Column<uint64_t> table, other;
  other.push(1);
  table.push(1);
  uint64_t before = address_of(table.data());
  EXPECT_FALSE(pages.can_read(before, 8));
  while (address_of(table.data()) == before && table.size() < 1 << 24) {
    other.push(1);
    table.push(1);
  }
  EXPECT_FALSE(pages.can_read(before, 8));
  EXPECT_FALSE(pages.can_read(address_of(table.data()), table.bytes()));
  uint64_t last = address_of(table.data());
  table.release();
  other.release();
  EXPECT_FALSE(pages.can_read(last, 8));
  EXPECT_TRUE(pages.can_read(address_of(&pages), sizeof pages));
}

TEST(GuessedBlock, NoAddressFaults) {
  ReadablePages pages;
  auto memory = std::make_unique<uint64_t[]>(1 << 12);
  for (size_t i = 0; i < 1 << 12; ++i) memory[i] = i * 0x9e3779b97f4a7c15;
  for (uint64_t address = address_of(memory.get()); address < address_of(&memory[1 << 12]);
       ++address)
    EXPECT_LE(guessed_block_bytes(pages, address), kLargestGuessedBlock);
  for (uint64_t address : {0ull, 8ull, 16ull, 0x1000ull, 0x7ffffffff000ull, ~15ull})
    EXPECT_EQ(guessed_block_bytes(pages, address), 0u);
}

}  // namespace
}  // namespace tenure::inproc
