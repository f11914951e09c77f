// tests/unit/accounting/map_table_test.cpp: mappings that end piece by piece, against a model that knows each page.
#include "inproc/accounting/map_table.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>
#include <vector>

namespace tenure::inproc {
namespace {

constexpr uintptr_t kPage = 4096;

// start -> end, as the table should have it.
using Model = std::map<uintptr_t, uintptr_t>;

std::vector<std::pair<uintptr_t, uintptr_t>> cut_model(Model& model, uintptr_t start,
                                                       uintptr_t end) {
  std::vector<std::pair<uintptr_t, uintptr_t>> touched;
  Model after;
  for (auto [from, to] : model) {
    if (to <= start || from >= end) {
      after.emplace(from, to);
      continue;
    }
    touched.emplace_back(from, to);
    if (from < start) after.emplace(from, start);
    if (to > end) after.emplace(end, to);
  }
  model = after;
  return touched;
}

class MapTableTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(table_->start()); }
  // Cuts until nothing is left, as the accounting does.
  std::vector<std::pair<uintptr_t, uintptr_t>> cut(uintptr_t start, uintptr_t end) {
    std::vector<std::pair<uintptr_t, uintptr_t>> touched;
    MapTable::Cut out{};
    do {
      table_->cut(start, end, &out);
      for (int i = 0; i < out.touched_count; ++i)
        touched.emplace_back(out.touched[i].start, out.touched[i].end);
      left_ += out.left_count;
    } while (out.touched_count == MapTable::kMostTouched);
    return touched;
  }
  std::unique_ptr<MapTable> table_ = std::make_unique<MapTable>();
  int left_ = 0;
};

TEST_F(MapTableTest, AHoleInTheMiddleLeavesTwoEnds) {
  table_->add({10 * kPage, 20 * kPage, 2});
  MapTable::Cut out{};
  table_->cut(13 * kPage, 15 * kPage, &out);
  ASSERT_EQ(out.touched_count, 1);
  ASSERT_EQ(out.left_count, 2);
  EXPECT_EQ(out.left[0].end, 13 * kPage);
  EXPECT_EQ(out.left[1].start, 15 * kPage);
  EXPECT_EQ(out.left[1].kind, 2);
}

TEST_F(MapTableTest, ACutBesideTouchesNothing) {
  table_->add({10 * kPage, 20 * kPage, 2});
  EXPECT_TRUE(cut(5 * kPage, 10 * kPage).empty());
  EXPECT_TRUE(cut(20 * kPage, 25 * kPage).empty());
  EXPECT_EQ(cut(0, 100 * kPage).size(), 1u);
}

TEST_F(MapTableTest, MoreThanOneCutCanHoldComeInTurns) {
  for (uintptr_t i = 0; i < 100; ++i) table_->add({i * 10 * kPage, (i * 10 + 5) * kPage, 2});
  EXPECT_EQ(cut(0, 100000 * kPage).size(), 100u);
  EXPECT_TRUE(cut(0, 100000 * kPage).empty());
}

TEST_F(MapTableTest, AgreesWithTheModelInARandomLife) {
  std::mt19937_64 random(5);
  Model model;
  for (int i = 0; i < 20000; ++i) {
    uintptr_t start = random() % 4000 * kPage, end = start + (1 + random() % 60) * kPage;
    ASSERT_EQ(cut(start, end), cut_model(model, start, end)) << i;
    if (random() % 3 == 0) continue;
    ASSERT_TRUE(table_->add({start, end, 2}));
    model.emplace(start, end);
  }
  auto rest = cut(0, 1ull << 40);
  EXPECT_EQ(rest, (std::vector<std::pair<uintptr_t, uintptr_t>>(model.begin(), model.end())));
}

TEST_F(MapTableTest, RefusesWhatDoesNotFitAndGoesOn) {
  uintptr_t n = 0;
  while (table_->add({n * 2 * kPage, (n * 2 + 1) * kPage, 2})) ++n;
  EXPECT_GE(n, 60000u);
  EXPECT_EQ(cut(0, 2 * kPage).size(), 1u);
  EXPECT_TRUE(table_->add({0, kPage, 2}));
}

}  // namespace
}  // namespace tenure::inproc
