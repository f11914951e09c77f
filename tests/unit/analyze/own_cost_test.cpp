// tests/unit/analyze/own_cost_test.cpp: what Tenure says that it took, from ledgers and from what the kernel told.
#include "analyze/balance/own_cost.h"

#include <gtest/gtest.h>

#include "run_builder.h"

namespace tenure::analyze {
namespace {

constexpr uint64_t kSecond = 1'000'000'000, kMiB = 1 << 20;

// A process by its figures alone: when it ran, in seconds, and what was Tenure's in it.
struct Process {
  uint64_t from, until;
  uint64_t own_bytes = 0;
  uint64_t hook_ns = 0, adapter_ns = 0, copy_ns = 0;
};

record::Record run_of(const std::vector<Process>& processes) {
  record::Record record;
  for (const Process& process : processes) {
    RunBuilder builder;
    std::vector<char> bytes = builder.bytes();
    auto& h = *reinterpret_cast<ledger::Header*>(bytes.data());
    h.started_mono_ns = process.from * kSecond;
    h.ended_mono_ns = process.until * kSecond;
    h.ended_cpu_ns = 0;
    h.own_bytes = process.own_bytes;
    h.hook_ns = process.hook_ns;
    h.adapter_ns = process.adapter_ns;
    h.copy_ns = process.copy_ns;
    record.ledgers.emplace(static_cast<int>(record.ledgers.size()),
                           std::move(*ledger::Reader::from_bytes(std::move(bytes), "invented")));
  }
  return record;
}

TEST(OwnCost, IsTheSumOverAllProcessesAndThoseBesideThem) {
  record::Record record =
      run_of({{1, 9, 0, kSecond / 10, kSecond / 5, kSecond / 2}, {2, 3, 0, kSecond / 10, 0, 0}});
  OwnCost cost = own_cost(record, {.program_ns = 10 * kSecond + 4 * kSecond / 10,
                                   .supervisor_ns = kSecond / 20,
                                   .analysis_ns = kSecond / 20});
  EXPECT_DOUBLE_EQ(cost.hooks, 0.2);
  EXPECT_DOUBLE_EQ(cost.seconds(), 1.0);
  EXPECT_DOUBLE_EQ(cost.program, 10) << "what was Tenure's in the program is not the program's";
  EXPECT_DOUBLE_EQ(cost.time_share(), 0.1);
}

TEST(OwnCost, HasNoShareOfATimeThatIsNotKnown) {
  OwnCost cost = own_cost(run_of({{1, 2, 0, kSecond, 0, 0}}), {});
  EXPECT_EQ(cost.hooks, 1);
  EXPECT_EQ(cost.time_share(), 0);
}

TEST(OwnCost, CountsMemoryOfProcessesThatRanAtOnce) {
  record::Record one_after_the_other =
      run_of({{1, 2, 8 * kMiB}, {2, 3, 8 * kMiB}, {3, 4, 6 * kMiB}});
  EXPECT_EQ(own_cost(one_after_the_other, {}).bytes, 8 * kMiB);
  record::Record at_once = run_of({{1, 5, 8 * kMiB}, {2, 3, 8 * kMiB}, {4, 5, 6 * kMiB}});
  EXPECT_EQ(own_cost(at_once, {.supervisor_bytes = kMiB}).bytes, 17 * kMiB);
}

}  // namespace
}  // namespace tenure::analyze
