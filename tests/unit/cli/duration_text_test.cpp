#include "cli/duration_text.h"

#include <gtest/gtest.h>

namespace tenure::cli {
namespace {

TEST(DurationText, ReadsNumbersWithTheirUnits) {
  EXPECT_EQ(*parse_duration("90", "--for"), 90);
  EXPECT_EQ(*parse_duration("60s", "--for"), 60);
  EXPECT_EQ(*parse_duration("1.5m", "--for"), 90);
  EXPECT_EQ(*parse_duration("2h", "--for"), 7200);
  EXPECT_EQ(*parse_duration("250ms", "--for"), 0.25);
}

TEST(DurationText, TakesNothingForNoLimit) { EXPECT_EQ(*parse_duration("", "--for"), 0); }

TEST(DurationText, NamesTheOptionOfWhatIsNoTime) {
  for (const char* text : {"soon", "5 parsecs", "-3s", "0", "s", "nan", "inf"}) {
    Result<double> seconds = parse_duration(text, "--for");
    ASSERT_FALSE(seconds) << text;
    EXPECT_NE(seconds.error().message.find("--for takes a time"), std::string::npos);
    EXPECT_EQ(seconds.error().exit_code, 2);
  }
}

}  // namespace
}  // namespace tenure::cli
