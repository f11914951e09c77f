// tests/unit/record/run_json_test.cpp: what a run was, as text and back; other versions are refused.
#include "record/run_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tenure::record {
namespace {

using testing::HasSubstr;

RunOutcome some_outcome() {
  RunOutcome outcome;
  outcome.tenure = "0.1.0 (1a2b3c4d5e6f)";
  outcome.settings = {"train_step", true, false, true, false, {"train.py:42"}};
  outcome.machine = {"Linux 6.8.0", "x86_64", "glibc 2.36", 8, 1ull << 35, 4096};
  outcome.arguments = {"python", "train.py"};
  outcome.started_ns = 1'790'000'000'123'456'789;
  outcome.directory = "/project";
  outcome.main_pid = 7;
  outcome.has_ended = true;
  outcome.signal = 9;
  outcome.processes.push_back({.pid = 7, .ledger = "ledger.7", .snapshots = {"snapshot.7.1"}});
  outcome.processes[0].memory.push_back({5, 1'000, 90, 60, 10, 4});
  outcome.processes[0].mappings.push_back({4096, 8192, "[heap]", {0, 4096}});
  return outcome;
}

TEST(RunJson, GivesBackWhatTheAnalysisNeeds) {
  auto read = parse_run_json(run_json(some_outcome()), "a.tenure");
  ASSERT_TRUE(read && *read);
  const RunOutcome& outcome = **read;
  EXPECT_EQ(outcome.tenure, "0.1.0 (1a2b3c4d5e6f)");
  EXPECT_EQ(outcome.settings.steps, "train_step");
  EXPECT_TRUE(outcome.settings.is_observing);
  EXPECT_FALSE(outcome.settings.is_guarding);
  EXPECT_FALSE(outcome.settings.keeps_source);
  EXPECT_EQ(outcome.machine.libc, "glibc 2.36");
  EXPECT_EQ(outcome.machine.memory_bytes, 1ull << 35);
  EXPECT_EQ(outcome.started_ns, 1'790'000'000'123'456'789u);
  EXPECT_EQ(outcome.signal, 9);
  EXPECT_EQ(outcome.processes.at(0).snapshots.at(0), "snapshot.7.1");
  EXPECT_EQ(outcome.settings.ignore, std::vector<std::string>{"train.py:42"});
  const MemoryMoment& moment = outcome.processes.at(0).memory.at(0);
  EXPECT_EQ(moment.cpu_ns, 1'000u);
  EXPECT_EQ(moment.anonymous, 90u);
  EXPECT_EQ(moment.own, 4u);
  const MappingHistory& mapping = outcome.processes.at(0).mappings.at(0);
  EXPECT_EQ(mapping.name, "[heap]");
  EXPECT_EQ(mapping.resident, (std::vector<uint64_t>{0, 4096}));
}

TEST(RunJson, OfTheFormatBeforeIsRefusedInOneSentence) {
  auto read = parse_run_json(R"({"schema": "tenure-run/1", "main_pid": 7})", "a.tenure");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().exit_code, 2);
  EXPECT_THAT(read.error().message,
              HasSubstr("a.tenure was recorded by an older Tenure in the format tenure-run/1"));
  EXPECT_THAT(read.error().message, HasSubstr("record the program again"));
}

TEST(RunJson, OfALaterFormatNamesTheVersionThatWroteIt) {
  auto read =
      parse_run_json(R"x({"schema": "tenure-run/9", "tenure": "3.0.0 (abc)"})x", "a.tenure");
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message,
              HasSubstr("recorded by Tenure 3.0.0 (abc) in the format tenure-run/9"));
}

TEST(RunJson, ThatIsDamagedIsNoOutcome) {
  for (const char* text : {"", "{", "[]", R"({"schema": 2})",
                           R"({"schema": "tenure-run/2", "processes": [{"ledger": "../x"}]})",
                           R"({"schema": "tenure-run/2", "main_pid": "seven"})"}) {
    auto read = parse_run_json(text, "a.tenure");
    EXPECT_TRUE(read && !*read) << text;
  }
}

}  // namespace
}  // namespace tenure::record
