// tests/unit/report/sites_test.cpp: rows in, an aligned table out.
#include "report/sites.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sample_findings.h"

namespace tenure::report {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

SiteRow tensor_row() {
  return {2 * kGiB, 214, 2 * kGiB, 214, 9 * kGiB, 21400, "train.py:42 in train()", "tensor", 0};
}

SiteRow numpy_row() { return {300 * kMiB, 3, 0, 0, 300 * kMiB, 3, "load.py:7 in read()", "", 0}; }

TEST(SitesTable, AlignsItsColumns) {
  EXPECT_EQ(sites_table({tensor_row(), numpy_row()}),
            "  at peak   live    total  blocks at peak  where\n"
            "    2 GiB  2 GiB    9 GiB             214  train.py:42 in train()  [tensor]\n"
            "  300 MiB    0 B  300 MiB               3  load.py:7 in read()\n");
}

TEST(SitesTable, ShowsTheErrorOfFiguresThatHaveOne) {
  SiteRow sampled = numpy_row();
  sampled.relative_error = 0.08;
  EXPECT_EQ(sites_table({tensor_row(), sampled}),
            "  at peak   live    total  blocks at peak  error  where\n"
            "    2 GiB  2 GiB    9 GiB             214         train.py:42 in train()  [tensor]\n"
            "  300 MiB    0 B  300 MiB               3   ±8 %  load.py:7 in read()\n");
}

TEST(SitesTable, CutsLongPlacesAtTheWidth) {
  SiteRow row = tensor_row();
  row.place = std::string(200, 'p');
  SitesOptions options;
  options.width = 80;
  EXPECT_THAT(sites_table({row}, options), HasSubstr("  " + std::string(38, 'p') + "…\n"));
}

TEST(SitesTable, PaintsTheHeadInColor) {
  SitesOptions options;
  options.has_color = true;
  EXPECT_THAT(sites_table({numpy_row()}, options), StartsWith("\x1b[1m  at peak"));
}

TEST(SitesTable, SaysWhenThereAreNone) { EXPECT_EQ(sites_table({}), "  no sites were seen\n"); }

}  // namespace
}  // namespace tenure::report
