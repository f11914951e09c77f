// tests/unit/record/site_looks_test.cpp: what sites held along a run, as text and back.
#include "record/site_looks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tenure::record {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<ProcessLooks> some_looks() {
  return {{2, {10, 20, 30}, {{{3}, {0, 4096, 4096}}, {{7}, {8192, 0, 8192}}}}};
}

TEST(SiteLooks, ComeBackAsTheyWere) {
  const auto read = parse_looks(looks_json(some_looks()));
  ASSERT_THAT(read, SizeIs(1));
  EXPECT_EQ(read[0].position, 2u);
  EXPECT_THAT(read[0].ticks, ElementsAre(10, 20, 30));
  ASSERT_THAT(read[0].sites, SizeIs(2));
  EXPECT_EQ(read[0].sites[0].site.value, 3u);
  EXPECT_THAT(read[0].sites[0].live, ElementsAre(0, 4096, 4096));
  EXPECT_THAT(read[0].sites[1].live, ElementsAre(8192, 0, 8192));
}

TEST(SiteLooks, OfASiteThatStaysOnlyItsFirstLookIsWritten) {
  EXPECT_THAT(looks_json(some_looks()), HasSubstr(R"("changes":[1,4096])"));
}

TEST(SiteLooks, ThatAreDamagedAreNone) {
  const std::string start = R"({"schema": "tenure-looks/1", "processes": )";
  EXPECT_THAT(parse_looks(""), IsEmpty());
  EXPECT_THAT(parse_looks(R"({"schema": "tenure-looks/9", "processes": []})"), IsEmpty());
  EXPECT_THAT(parse_looks(start + "[7]}"), IsEmpty());
  EXPECT_THAT(parse_looks(start + R"([{"process": 0, "ticks": ["x"], "sites": []}]})"), IsEmpty());
  EXPECT_THAT(parse_looks(start + R"([{"process": 0, "ticks": [1], "sites": [3]}]})"), IsEmpty());
}

TEST(SiteLooks, ALookBehindTheLastOneChangesNothing) {
  const auto read = parse_looks(
      R"({"schema": "tenure-looks/1", "processes": [{"process": 0, "ticks": [1, 2],
          "sites": [{"site": 1, "changes": [99, 7]}]}]})");
  ASSERT_THAT(read, SizeIs(1));
  EXPECT_THAT(read[0].sites[0].live, ElementsAre(0, 0));
}

TEST(SiteLooks, OfARecordWithoutThemAreNone) {
  EXPECT_THAT(read_looks("/nowhere/at/all"), IsEmpty());
}

}  // namespace
}  // namespace tenure::record
