// tests/unit/accounting/pools_test.cpp: regions that a framework cuts into blocks, and the ops that made blocks.
#include <unistd.h>

#include <cstring>
#include <map>
#include <string>

#include "contract.h"
#include "inproc/accounting/op_texts.h"

namespace tenure::inproc {
namespace {

using ledger::BlockKind;

using Pools = AccountingContract<Accounting>;

TEST_F(Pools, BlocksInARegionCountAndTheRegionDoesNot) {
  start();
  accounting_->region_born(at(1000), 1 << 20, 0);
  EXPECT_EQ(header().live_bytes.load(), 0u);
  EXPECT_EQ(site(BlockKind::pool_region).live_bytes, 1u << 20);
  accounting_->born_in_pool(at(1000), 5000, 0);  // where the region begins
  accounting_->born_in_pool(at(1002), 6000, 0);
  EXPECT_EQ(header().live_bytes.load(), 11000u);
  EXPECT_TRUE(ended(1002));
  EXPECT_EQ(header().live_bytes.load(), 5000u);
  EXPECT_EQ(site(BlockKind::pool_region).live_bytes, 1u << 20);
}

TEST_F(Pools, ARegionOutlivesTheBlockWhereItBegins) {
  start();
  accounting_->region_born(at(1000), 1 << 20, 0);
  accounting_->born_in_pool(at(1000), 5000, 0);
  accounting_->ended_in_pool(at(1000));
  EXPECT_EQ(site(BlockKind::pool_region).live_bytes, 1u << 20);
  accounting_->born_in_pool(at(1000), 7000, 0);
  EXPECT_EQ(header().live_bytes.load(), 7000u);
}

TEST_F(Pools, ABlockInNoKnownRegionIsNotOurs) {
  start();
  accounting_->region_born(at(1000), 1 << 20, 0);
  accounting_->born_in_pool(at(5000), 5000, 0);
  EXPECT_EQ(header().live_bytes.load(), 0u);
}

TEST_F(Pools, ARegionEndsWhenItIsFreed) {
  start();
  accounting_->region_born(at(1000), 1 << 20, 0);
  ended(1000);
  EXPECT_EQ(site(BlockKind::pool_region).live_bytes, 0u);
  accounting_->born_in_pool(at(1001), 5000, 0);
  EXPECT_EQ(header().live_bytes.load(), 0u);
}

TEST_F(Pools, ManyRegionsAreBlocks) {
  start();
  for (uint64_t i = 0; i < 600; ++i) accounting_->region_born(at(1000 * i + 1), 1 << 20, 0);
  EXPECT_EQ(header().live_bytes.load(), 88ull << 20);
}

uint32_t named(const void* op, char* out) noexcept {
  const char* text = static_cast<const char*>(op);
  auto length = static_cast<uint32_t>(strlen(text));
  memcpy(out, text, length);
  return length;
}

std::map<uintptr_t, std::string> names_in(Accounting& accounting) {
  std::map<uintptr_t, std::string> names;
  accounting.op_names().each([&](uintptr_t address, StringId id) {
    const char* text = accounting.ledger().record<char>(ledger::TableId::strings, id.value);
    uint32_t length;
    memcpy(&length, text, sizeof length);
    names[address] = std::string(text + sizeof length, length);
  });
  return names;
}

TEST_F(Pools, ABlockKnowsTheOpThatMadeItUntilItsEnd) {
  start();
  {
    OpScope outer({"gradients/MatMul", &named});
    born(1, 5000);
    {
      OpScope inner({"Cast", &named});
      born(2, 5000);
    }
    born(3, 5000);
  }
  born(4, 5000);
  auto key = [](uint64_t number) { return reinterpret_cast<uintptr_t>(at(number)); };
  std::map<uintptr_t, std::string> all = {
      {key(1), "gradients/MatMul"}, {key(2), "Cast"}, {key(3), "gradients/MatMul"}};
  EXPECT_EQ(names_in(*accounting_), all);
  ended(1);
  born(2, 6000);  // its end went by unseen, and nobody knows by which op it was made again
  all.erase(key(1));
  all.erase(key(2));
  EXPECT_EQ(names_in(*accounting_), all);
}

TEST_F(Pools, AnOpWithoutANameLeavesNone) {
  start();
  OpScope outer({"", &named});
  born(1, 5000);
  EXPECT_TRUE(names_in(*accounting_).empty());
}

// In a process of its own: the first bad name ends it for good.
TEST(OpTexts, NamesAreCopiedUntilOneIsNone) {
  std::string name = "while/body/MatMul_1";
  char out[kLongestOpName];
  auto copied = [&](const char* text, uint64_t length) {
    return std::string(out, copy_op_name(text, length, out));
  };
  EXPECT_EQ(copied(name.c_str(), 0), name);
  EXPECT_EQ(copied(name.c_str(), 5), "while");
  EXPECT_EQ(copied(nullptr, 0), "");
  EXPECT_EXIT(
      {
        std::string before = copied(name.c_str(), 0);
        char* gone = static_cast<char*>(map_ledger());
        munmap(gone, ledger::reserved_bytes());
        bool is_safe = copied(gone, 0).empty() && copied("\x01\x02", 2).empty();
        _exit(before == name && is_safe && copied(name.c_str(), 0).empty() ? 7 : 1);
      },
      ::testing::ExitedWithCode(7), "");
}

}  // namespace
}  // namespace tenure::inproc
