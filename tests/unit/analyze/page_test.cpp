// tests/unit/analyze/page_test.cpp: what the report page draws of a run: bands, births, lines, calls, processes.
#include "analyze/page/page.h"

#include <gtest/gtest.h>

#include <numeric>

#include "analyze/page/call_tree.h"
#include "analyze/page/groups.h"
#include "analyze/page/page_process.h"
#include "analyze/page/rules.h"
#include "base/sentence_writer.h"
#include "run_builder.h"

namespace tenure::analyze {
namespace {

constexpr uint64_t kMiB = 1 << 20;

// 40 rounds: line 5 leaves a MiB in each, line 6 gives its own back.
Page page_of_leak() {
  RunBuilder run;
  for (int i = 0; i < 40; ++i) {
    run.round(3);
    run.born(5, kMiB);
    run.make_and_end(6, 2 * kMiB);
  }
  tenure::record::Record record = run.record();
  Page page;
  judge(record, {}, &page);
  return page;
}

const PageLine* line_at(const PageProcess& process, int line) {
  for (const PageLine& one : process.lines) {
    if (one.place.line == line) return &one;
  }
  return nullptr;
}

TEST(Page, ALeakingLineIsABandThatRisesToWhatItHolds) {
  const Page page = page_of_leak();
  ASSERT_EQ(page.processes.size(), 1u);
  const PageProcess& process = page.processes[0];
  ASSERT_EQ(process.bands.size(), 1u);
  const PageBand& band = process.bands[0];
  EXPECT_EQ(process.lines[band.line].place.line, 5);
  ASSERT_EQ(band.bytes.size(), process.moments.size());
  EXPECT_TRUE(std::is_sorted(band.bytes.begin(), band.bytes.end()));
  EXPECT_NEAR(band.bytes.back(), 40.0 * kMiB, kMiB);
  const auto half = static_cast<double>(process.moments[process.moments.size() / 2].live);
  EXPECT_NEAR(band.bytes[band.bytes.size() / 2], half, 4.0 * kMiB);
}

// Line 5 leaks and line 6 holds, looked at in the middle and at the end.
TEST(Page, CategoriesTellWhatNoBandShows) {
  RunBuilder run;
  const SiteId held = run.born(16, 8 * kMiB).site;
  SiteId leaking;
  for (int i = 0; i < 40; ++i) {
    run.round(3);
    leaking = run.born(5, kMiB).site;
    run.make_and_end(6, 2 * kMiB);
  }
  tenure::record::Record record = run.record();
  const Tick end = record.ledgers.at(0).header().tick.load();
  Page page;
  page.looks = {
      {0, {1, end}, {{held, {8 * kMiB, 8 * kMiB}}, {leaking, {0, 40 * kMiB}}, {{9999}, {1, 1}}}}};
  judge(record, {}, &page);
  const PageProcess& shown = page.processes.at(0);
  ASSERT_EQ(shown.categories.size(), 1u);
  EXPECT_EQ(shown.categories[0].what, MemoryCategory::python);
  ASSERT_EQ(shown.categories[0].bytes.size(), shown.moments.size());
  EXPECT_NEAR(shown.categories[0].bytes.back(), 8.0 * kMiB, kMiB);
  EXPECT_NEAR(shown.categories[0].bytes[shown.moments.size() / 2], 8.0 * kMiB, 2.0 * kMiB);
}

TEST(Page, MomentsGoForwardOnEveryAxis) {
  const std::vector<PageMoment> moments = page_of_leak().processes[0].moments;
  ASSERT_GT(moments.size(), 40u);
  for (size_t i = 1; i < moments.size(); ++i) {
    EXPECT_GE(moments[i].tick, moments[i - 1].tick);
    EXPECT_GE(moments[i].position, moments[i - 1].position);
    EXPECT_GE(moments[i].seconds, moments[i - 1].seconds);
    EXPECT_GE(moments[i].step, moments[i - 1].step);
  }
  EXPECT_NEAR(moments.back().position, 1, 0.01);
  EXPECT_GE(moments.front().position, kPageStart);
}

TEST(Page, BirthsOfALineAddUpToWhatItMadeAndWhatIsLeft) {
  const Page page = page_of_leak();
  const auto sum = [](const PageLine& line, double PageBirths::* what) {
    return std::accumulate(line.births.begin(), line.births.end(), 0.0,
                           [&](double all, const PageBirths& b) { return all + b.*what; });
  };
  const PageLine* leak = line_at(page.processes[0], 5);
  const PageLine* worker = line_at(page.processes[0], 6);
  ASSERT_TRUE(leak && worker);
  EXPECT_NEAR(sum(*leak, &PageBirths::born), 40.0 * kMiB, kMiB / 100.0);
  EXPECT_NEAR(sum(*leak, &PageBirths::alive), 40.0 * kMiB, kMiB / 100.0);
  EXPECT_NEAR(sum(*worker, &PageBirths::born), 80.0 * kMiB, kMiB / 100.0);
  EXPECT_LE(sum(*worker, &PageBirths::alive), 2.0 * kMiB);
  for (size_t i = 1; i < leak->births.size(); ++i)
    EXPECT_GE(leak->births[i].from, leak->births[i - 1].to);
}

TEST(Page, LinesKeepTheirJudgementAndOrder) {
  const PageProcess process = page_of_leak().processes[0];
  ASSERT_EQ(process.lines.size(), 2u);
  EXPECT_EQ(process.lines[0].place.line, 5);
  EXPECT_EQ(process.lines[0].came_to, GrowthClass::leak);
  EXPECT_EQ(process.lines[1].came_to, GrowthClass::dismissed);
  EXPECT_EQ(process.leaking_bytes, 40 * kMiB);
}

TEST(Page, CallsHaveTheirCallersBeforeThemAndNoMoreThanThese) {
  const std::vector<PageCall> calls = page_of_leak().processes[0].calls;
  ASSERT_GE(calls.size(), 3u);
  for (size_t i = 1; i < calls.size(); ++i) {
    ASSERT_LT(calls[i].parent, i);
    EXPECT_LE(calls[i].peak_bytes, calls[calls[i].parent].peak_bytes);
    EXPECT_LE(calls[i].total_bytes, calls[calls[i].parent].total_bytes);
  }
  EXPECT_EQ(calls[0].total_bytes, 120 * kMiB);
}

TEST(Page, GroupsAreAsLargeAsTheirLines) {
  const PageProcess process = page_of_leak().processes[0];
  for (const std::vector<PageCall>* tree :
       {&process.by_holder, &process.by_module, &process.by_op}) {
    ASSERT_EQ(tree->size(), 4u);  // all, one group, two lines
    EXPECT_EQ((*tree)[0].total_bytes, 120 * kMiB);
    EXPECT_EQ((*tree)[1].total_bytes, 120 * kMiB);
    EXPECT_EQ((*tree)[2].parent, 1u);
    EXPECT_EQ((*tree)[2].total_bytes + (*tree)[3].total_bytes, 120 * kMiB);
  }
  EXPECT_EQ(process.by_module[1].name, "train.py");
}

TEST(Page, ModulesArePackagesFilesAndLibraries) {
  const auto module = [](const std::string& file, int line) {
    return module_of({file, line, "", PlaceRole::made_at, ""});
  };
  EXPECT_EQ(module("/env/lib/python3.11/site-packages/torch/nn/modules/linear.py", 7), "torch");
  EXPECT_EQ(module("/usr/lib/python3.11/json/decoder.py", 7), sentence("module.standard_library"));
  EXPECT_EQ(module("/project/train.py", 7), "/project/train.py");
  EXPECT_EQ(module("/usr/lib/libfoo.so.1", 0), "libfoo.so.1");
}

TEST(Page, OfTooManyCallsTheLargestAreKept) {
  RunBuilder run;
  for (uint32_t line = 1; line <= 30; ++line) run.born(line, line * kMiB);
  tenure::record::Record record = run.record();
  Frames frames(record.ledgers.at(0), *record.symbols);
  const std::vector<PageCall> calls = call_tree(frames, 5, kPageSites);
  ASSERT_EQ(calls.size(), 5u);
  for (size_t i = 1; i < calls.size(); ++i) EXPECT_GE(calls[i].line, 27);
  EXPECT_EQ(calls[0].live_bytes, 465 * kMiB);
}

TEST(Page, OfTooManyProcessesTheMainOneAndTheLargestAreKept) {
  std::vector<PageProcess> processes(kPageProcesses + 5);
  for (size_t i = 0; i < processes.size(); ++i) {
    processes[i].pid = static_cast<int>(i);
    processes[i].peak_bytes = i;
  }
  processes[0].is_main = true;
  processes[20].leaking_bytes = 7;
  const Page page = page_of(std::move(processes));
  ASSERT_EQ(page.processes.size(), kPageProcesses);
  EXPECT_EQ(page.processes_left_out, 5u);
  EXPECT_TRUE(page.processes[0].is_main);
  EXPECT_EQ(page.processes[1].pid, static_cast<int>(kPageProcesses) + 4);
  EXPECT_EQ(page.processes[page.shown_first].pid, 20);
}

}  // namespace
}  // namespace tenure::analyze
