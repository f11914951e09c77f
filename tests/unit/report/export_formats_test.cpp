// tests/unit/report/export_formats_test.cpp: stacks and timelines in, the formats of other tools out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <protozero/pbf_reader.hpp>

#include "report/formats/collapsed.h"
#include "report/formats/lines_csv.h"
#include "report/formats/pprof.h"
#include "report/formats/speedscope.h"
#include "report/formats/trace_json.h"

namespace tenure::report {
namespace {

using analyze::StackSample;
using nlohmann::json;

StackSample sample(uint64_t peak, uint64_t live, int line = 4, int pid = 7) {
  StackSample sample;
  sample.pid = pid;
  sample.frames = {{{}, "/p/a.py", line, "work"}, {{}, "/p/a.py", 9, "<module>"}};
  sample.place = {"/p/a.py", line, "work", PlaceRole::made_at, ""};
  sample.kind = "heap";
  sample.at_peak = {peak, 2};
  sample.live = {live, 1};
  sample.total = {peak + live, 3};
  return sample;
}

TEST(Collapsed, HasTheOutermostFrameFirstAndSumsEqualStacks) {
  EXPECT_EQ(collapsed({sample(10, 0), sample(30, 0), sample(99, 0, 5)}, Figure::at_peak, "/p"),
            "<module> (a.py:9);work (a.py:5) 99\n<module> (a.py:9);work (a.py:4) 40\n");
}

TEST(Collapsed, ShowsTheFigureAskedFor) {
  EXPECT_EQ(collapsed({sample(10, 0)}, Figure::live, "/p"), "");
  EXPECT_EQ(collapsed({sample(10, 5)}, Figure::total, "/p"),
            "<module> (a.py:9);work (a.py:4) 15\n");
}

TEST(Collapsed, TellsProcessesApartAndKeepsSeparatorsOut) {
  StackSample odd = sample(1, 0, 4, 8);
  odd.frames.resize(1);
  odd.frames[0].function = "a;b\nc";
  EXPECT_EQ(collapsed({sample(2, 0), odd}, Figure::at_peak, "/p"),
            "process 7;<module> (a.py:9);work (a.py:4) 2\nprocess 8;a:b c (a.py:4) 1\n");
}

TEST(Csv, HasARowForEachLineAndQuotesWhatNeedsIt) {
  StackSample odd = sample(1, 0, 9);
  odd.place.function = "f(int, \"x\")";
  EXPECT_EQ(lines_csv({sample(10, 1), sample(5, 1), odd}, "/p"),
            "pid,file,line,function,kind,peak_bytes,peak_count,live_bytes,live_count,total_bytes,"
            "total_count\r\n"
            "7,a.py,4,work,heap,15,4,2,2,17,6\r\n"
            "7,a.py,9,\"f(int, \"\"x\"\")\",heap,1,2,0,1,1,3\r\n");
}

TEST(Speedscope, HasAProfileForEachFigure) {
  const json document = json::parse(speedscope({sample(10, 5)}, Figure::live, "a.py"));
  EXPECT_EQ(document["activeProfileIndex"], 1);
  ASSERT_EQ(document["profiles"].size(), 3u);
  EXPECT_EQ(document["profiles"][1]["name"], "live");
  EXPECT_EQ(document["profiles"][1]["weights"], json::array({5}));
  const json stack = document["profiles"][0]["samples"][0];
  EXPECT_EQ(document["shared"]["frames"][stack[0].get<size_t>()]["name"], "<module>");
}

TEST(Pprof, HasEveryFigureOfASample) {
  const std::string message = pprof_message({sample(10, 5)}, {});
  protozero::pbf_reader profile{message};
  std::vector<std::string> strings;
  std::vector<int64_t> values;
  int types = 0;
  while (profile.next()) {
    if (profile.tag() == 6) {
      strings.push_back(profile.get_string());
    } else if (profile.tag() == 2) {
      protozero::pbf_reader of_sample = profile.get_message();
      ASSERT_TRUE(of_sample.next(2));
      for (int64_t value : of_sample.get_packed_int64()) values.push_back(value);
    } else {
      types += profile.tag() == 1;
      profile.skip();
    }
  }
  EXPECT_EQ(types, 6);
  EXPECT_EQ(values, (std::vector<int64_t>{10, 2, 5, 1, 15, 3}));
  ASSERT_FALSE(strings.empty());
  EXPECT_EQ(strings[0], "");
  EXPECT_THAT(strings, testing::IsSupersetOf({"peak_space", "live_objects", "work", "/p/a.py"}));
}

TEST(Pprof, IsCompressedByGzip) { EXPECT_EQ(pprof({}, {}).substr(0, 2), "\x1f\x8b"); }

TEST(TraceJson, HasCountersOfEveryProcess) {
  const json document =
      json::parse(trace_json({{7, true, {{0.5, 100, 3}}}, {8, false, {{1, 50, std::nullopt}}}},
                             {{0.25, 4096, 100}}, "a.py"));
  std::vector<std::string> counters;
  for (const json& event : document["traceEvents"]) {
    if (event["ph"] == "C")
      counters.push_back(event["name"].get<std::string>() + event["args"].dump());
  }
  EXPECT_THAT(counters, testing::ElementsAre(R"(live memory{"bytes":100})", R"(steps{"steps":3})",
                                             R"(resident memory{"bytes":4096})",
                                             R"(live memory{"bytes":50})"));
}

}  // namespace
}  // namespace tenure::report
