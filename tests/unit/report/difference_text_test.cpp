// tests/unit/report/difference_text_test.cpp: two runs in, `tenure diff` out.
#include "report/difference_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/formats/difference_json.h"
#include "sample_findings.h"

namespace tenure::report {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

analyze::Findings clean() {
  analyze::Findings findings;
  findings.verdict = Verdict::clean;
  return findings;
}

std::string text_of(const analyze::Findings& before, const analyze::Findings& after) {
  return difference_text({"a.tenure", "", before}, {"b.tenure", "", after},
                         analyze::compare(before, after), {});
}

TEST(DifferenceText, SaysFirstWhatIsFixed) {
  const std::string text = text_of(leaking_run(), clean());
  EXPECT_THAT(text, StartsWith("tenure: fixed: 12.4 MiB every step, gone; it was made at "
                               "train.py:42 in train()"));
  EXPECT_THAT(text, Not(HasSubstr(" now")));  // it holds nothing now
}

TEST(DifferenceText, SaysFirstWhatIsNew) {
  EXPECT_THAT(text_of(clean(), leaking_run()),
              StartsWith("tenure: new leak: 12.4 MiB every step, made at train.py:42 in train()."));
}

TEST(DifferenceText, NothingIsFixedWhereTheLaterRunCannotTell) {
  EXPECT_THAT(text_of(leaking_run(), {}), StartsWith("tenure: not seen again: 12.4 MiB"));
  EXPECT_THAT(text_of(clean(), {}),
              StartsWith("tenure: no leak was seen, but the later run cannot tell."));
}

TEST(DifferenceText, SaysThatNothingLeaks) {
  EXPECT_THAT(text_of(clean(), clean()),
              StartsWith("tenure: no leak and no lifetime error in either run."));
}

TEST(DifferenceText, JsonHasBothSides) {
  const analyze::Findings before = leaking_run(), after = clean();
  const auto json = nlohmann::json::parse(
      difference_json({"a", "", before}, {"b", "", after}, analyze::compare(before, after)));
  EXPECT_EQ(json["findings"][0]["change"], "gone");
  EXPECT_EQ(json["findings"][0]["before"]["kind"], "retained-autograd");
  EXPECT_TRUE(json["findings"][0]["after"].is_null());
  EXPECT_EQ(json["after"]["verdict"], "clean");
}

}  // namespace
}  // namespace tenure::report
