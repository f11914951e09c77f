// tests/unit/analyze/process_roles_test.cpp: which processes of a run are workers and ranks.
#include "analyze/balance/process_roles.h"

#include <gtest/gtest.h>

namespace tenure::analyze {
namespace {

ProcessFigures process(int pid, int parent_pid, std::vector<std::string> arguments) {
  ProcessFigures figures;
  figures.pid = pid;
  figures.parent_pid = parent_pid;
  figures.arguments = std::move(arguments);
  return figures;
}

ProcessRole worker(uint32_t number, uint32_t count) { return {ProcessPart::worker, number, count}; }

constexpr ProcessRole kMain{ProcessPart::main}, kOther{};

std::vector<ProcessRole> roles_of(std::vector<ProcessFigures> processes) {
  find_roles(processes, 1);
  std::vector<ProcessRole> roles;
  for (const ProcessFigures& figures : processes) roles.push_back(figures.role);
  return roles;
}

TEST(ProcessRoles, ForkedSiblingsAreWorkersInTheOrderOfTheirNumbers) {
  EXPECT_EQ(
      roles_of({process(1, 0, {"serve"}), process(3, 1, {"serve"}), process(2, 1, {"serve"})}),
      (std::vector<ProcessRole>{kMain, worker(2, 2), worker(1, 2)}));
}

TEST(ProcessRoles, WorkersThatMultiprocessingStartsDifferByTheirPipe) {
  const auto spawned = [](int pid, const std::string& pipe) {
    return process(
        pid, 1,
        {"python", "-c", "from multiprocessing.spawn import spawn_main; spawn_main(" + pipe});
  };
  EXPECT_EQ(roles_of({process(1, 0, {"python", "train.py"}),
                      process(2, 1, {"python", "-c", "from multiprocessing.resource_tracker"}),
                      spawned(3, "pipe_handle=6)"), spawned(4, "pipe_handle=18)")}),
            (std::vector<ProcessRole>{kMain, kOther, worker(1, 2), worker(2, 2)}));
}

TEST(ProcessRoles, ProgramsThatAShellStartsAreNoWorkers) {
  EXPECT_EQ(roles_of({process(1, 0, {"sh", "all.sh"}), process(2, 1, {"tool", "1"}),
                      process(3, 1, {"tool", "2"})}),
            (std::vector<ProcessRole>{kMain, kOther, kOther}));
}

TEST(ProcessRoles, AForkedChildWithoutSiblingsIsNoWorker) {
  EXPECT_EQ(roles_of({process(1, 0, {"serve"}), process(2, 1, {"serve"})}),
            (std::vector<ProcessRole>{kMain, kOther}));
}

TEST(ProcessRoles, ARankIsTheTopmostOfThoseThatInheritItsEnvironment) {
  const auto ranked = [](int pid, int parent_pid, const char* fact) {
    ProcessFigures figures = process(pid, parent_pid, {"python", "train.py"});
    figures.role = rank_in(fact).value();
    return figures;
  };
  const std::vector<ProcessRole> roles =
      roles_of({process(1, 0, {"torchrun"}), ranked(2, 1, "0/2"), ranked(3, 1, "1/2"),
                ranked(4, 3, "1/2"), ranked(5, 3, "1/2")});
  const ProcessRole first{ProcessPart::rank, 0, 2}, second{ProcessPart::rank, 1, 2};
  EXPECT_EQ(roles, (std::vector<ProcessRole>{kMain, first, second, worker(1, 2), worker(2, 2)}));
}

TEST(ProcessRoles, OnlyARankOfSeveralIsOne) {
  EXPECT_EQ(rank_in("3/4"), (ProcessRole{ProcessPart::rank, 3, 4}));
  for (const char* fact : {"", "0/1", "4/4", "1", "1/", "/4", "a/4", "1/4x", "-1/4"})
    EXPECT_FALSE(rank_in(fact)) << fact;
}

}  // namespace
}  // namespace tenure::analyze
