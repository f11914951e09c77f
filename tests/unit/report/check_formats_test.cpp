// tests/unit/report/check_formats_test.cpp: checked runs in; text, annotations, SARIF, JUnit and baselines out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/check_text.h"
#include "report/formats/baseline_json.h"
#include "report/formats/github.h"
#include "report/formats/junit.h"
#include "report/formats/sarif.h"
#include "sample_findings.h"

namespace tenure::report {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

CheckedRun checked(analyze::Findings findings, const analyze::Limits& limits = {}) {
  CheckedRun run{"train.tenure", "/project", std::move(findings), {}};
  run.result = analyze::check(run.findings, limits, {});
  return run;
}

TEST(CheckText, SaysWhatIsBeyondWhichLimit) {
  const std::string text = check_text({checked(leaking_run(), {.growth = kMiB})}, {});
  EXPECT_THAT(text, StartsWith("tenure: beyond the limits: 1 problem (no leak above 1 MiB every "
                               "step)."));
  EXPECT_THAT(text, HasSubstr("12.4 MiB every step, 2.6 GiB now; at most 1 MiB every step"));
  EXPECT_THAT(text, HasSubstr("train.py:42 in train()"));
}

TEST(CheckText, NamesTheRecordsOfSeveral) {
  const std::string text = check_text({checked(leaking_run()), checked(leaking_run())}, {});
  EXPECT_THAT(text, StartsWith("tenure: train.tenure: beyond"));
}

TEST(CheckText, SaysWhyNothingCanBeTold) {
  analyze::Findings findings;
  findings.reason = "the program is still running";
  CheckedRun run = checked(findings);
  EXPECT_THAT(check_text({run}, {}),
              StartsWith("tenure: cannot tell: the program is still running."));
  run.is_unknown_ok = true;
  EXPECT_THAT(check_text({run}, {}), StartsWith("tenure: within the limits as far as can be told"));
}

TEST(Github, EscapesWhatTheRunnerReads) {
  Problem problem{"retained-python", Level::error, "50% more", "a\nb", {}, {}, ""};
  problem.place = analyze::Place{"a,b:c%.py", 3, "f", PlaceRole::made_at, ""};
  EXPECT_EQ(github_annotations({problem}),
            "::error file=a%2Cb%3Ac%25.py,line=3,title=tenure%3A retained-python::50%25 "
            "more%0Aa%0Ab\n");
}

TEST(Sarif, HasRuleLineAndAFingerprintThatDoesNotMove) {
  analyze::Findings moved = leaking_run();
  moved.findings[0].where[0].line = 99;
  const auto result_of = [](const analyze::Findings& findings) {
    return nlohmann::json::parse(
        sarif({{"/project", problems_of(checked(findings))}}))["runs"][0]["results"][0];
  };
  const auto here = result_of(leaking_run()), there = result_of(moved);
  EXPECT_EQ(here["ruleId"], "retained-autograd");
  EXPECT_EQ(here["locations"][0]["physicalLocation"]["region"]["startLine"], 42);
  EXPECT_EQ(here["partialFingerprints"], there["partialFingerprints"]);
}

TEST(Sarif, WritesPathsAsUris) {
  analyze::Findings findings = leaking_run();
  findings.findings[0].where[0].file = "/project/my code/train#1.py";
  const auto json = nlohmann::json::parse(sarif({{"/project", problems_of(findings, "/project")}}));
  const auto& artifact =
      json["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"];
  EXPECT_EQ(artifact["uri"], "my%20code/train%231.py");
}

TEST(Junit, HasACaseForEachLimit) {
  const std::string text = junit({checked(leaking_run())});
  EXPECT_THAT(text, HasSubstr("tests=\"3\" failures=\"1\" errors=\"0\""));
  EXPECT_THAT(text, HasSubstr("name=\"no lifetime error\"/>"));
}

TEST(Junit, EscapesMarkup) {
  analyze::Findings findings = leaking_run();
  findings.findings[0].fix = "use a < b && \"c\"";
  const std::string text = junit({checked(findings)});
  EXPECT_THAT(text, HasSubstr("a &lt; b &amp;&amp; &quot;c&quot;"));
}

TEST(Junit, AnUnknownRunIsAnErrorUnlessItIsOk) {
  CheckedRun run = checked({});
  EXPECT_THAT(junit({run}), HasSubstr("<error message="));
  run.is_unknown_ok = true;
  EXPECT_THAT(junit({run}), HasSubstr("<skipped message="));
}

TEST(BaselineJson, IsReadAsItWasWritten) {
  analyze::Baseline baseline;
  analyze::add_to_baseline(leaking_run(), baseline);
  const auto read = read_baseline(baseline_json(baseline, "/project"), "b.json");
  ASSERT_TRUE(read);
  ASSERT_EQ(read->entries.size(), 1u);
  EXPECT_EQ(read->entries[0].line.statement, "loss = criterion(model(x), y)");
  EXPECT_EQ(read->entries[0].bytes, baseline.entries[0].bytes);
  EXPECT_EQ(read->tolerance, baseline.tolerance);
}

TEST(BaselineJson, WhatIsNoBaselineIsRefusedInOneSentence) {
  for (const char* text : {"", "{}", "[1]", R"({"schema": "tenure-baseline/9"})",
                           R"({"schema": "tenure-baseline/1", "tolerance": -1, "accepted": []})",
                           R"({"schema": "tenure-baseline/1", "tolerance": 0, "accepted": [7]})"}) {
    const auto read = read_baseline(text, "b.json");
    ASSERT_FALSE(read) << text;
    EXPECT_THAT(read.error().message, StartsWith("b.json is no baseline that can be read"));
    EXPECT_THAT(read.error().message, Not(HasSubstr("\n")));
  }
}

}  // namespace
}  // namespace tenure::report
