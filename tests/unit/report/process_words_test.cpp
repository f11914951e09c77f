// tests/unit/report/process_words_test.cpp: how a finding says in which processes it was found.
#include "report/process_words.h"

#include <gtest/gtest.h>

namespace tenure::report {
namespace {

using analyze::ProcessFigures;
using analyze::ProcessPart;

ProcessFigures process(int pid, analyze::ProcessRole role, const char* name = "serve.py") {
  ProcessFigures figures;
  figures.pid = pid;
  figures.parent_pid = 10;
  figures.arguments = {"python", name};
  figures.role = role;
  return figures;
}

std::vector<ProcessFigures> job(ProcessPart part, uint32_t count) {
  std::vector<ProcessFigures> processes{process(10, {ProcessPart::main})};
  const uint32_t first = part == ProcessPart::rank ? 0 : 1;
  for (uint32_t i = 0; i < count; ++i)
    processes.push_back(process(11 + static_cast<int>(i), {part, first + i, count}));
  return processes;
}

TEST(ProcessWords, NameThoseAmongSeveral) {
  const auto workers = job(ProcessPart::worker, 4);
  EXPECT_EQ(process_words(workers, {12}), "worker 2 of 4 (process 12)");
  EXPECT_EQ(process_words(workers, {11, 13}), "workers 1 and 3 of 4 (processes 11 and 13)");
  EXPECT_EQ(process_words(workers, {11, 12, 13}),
            "workers 1, 2 and 3 of 4 (processes 11, 12 and 13)");
  EXPECT_EQ(process_words(workers, {14, 13, 12, 11}),
            "all 4 workers (processes 11, 12, 13 and 14)");
  EXPECT_EQ(process_words(workers, {10, 12}),
            "the main process (10) and worker 2 of 4 (process 12)");
}

TEST(ProcessWords, TwoOfTwoAreBoth) {
  EXPECT_EQ(process_words(job(ProcessPart::rank, 2), {11, 12}), "both ranks (processes 11 and 12)");
}

TEST(ProcessWords, RanksCountFromZero) {
  EXPECT_EQ(process_words(job(ProcessPart::rank, 4), {12, 14}),
            "ranks 1 and 3 of 4 (processes 12 and 14)");
}

TEST(ProcessWords, OfManyOnlyTheCountIsTold) {
  EXPECT_EQ(process_words(job(ProcessPart::worker, 12), {11, 12, 13, 14, 15, 16, 17, 18}),
            "8 of 12 workers");
}

TEST(ProcessWords, ProgramsAreToldByTheirNames) {
  const std::vector<ProcessFigures> processes{process(10, {ProcessPart::main}, "all.py"),
                                              process(11, {}, "a.py"), process(12, {}, "b.py"),
                                              process(13, {}, "b.py")};
  EXPECT_EQ(process_words(processes, {11}), "a.py (process 11)");
  EXPECT_EQ(process_words(processes, {11, 12, 13}),
            "a.py (process 11) and b.py (processes 12 and 13)");
}

TEST(ProcessWords, ARunOfOneProcessSaysNothing) {
  EXPECT_EQ(process_words({process(10, {ProcessPart::main})}, {10}), "");
}

}  // namespace
}  // namespace tenure::report
