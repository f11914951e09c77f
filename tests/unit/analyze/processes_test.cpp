// tests/unit/analyze/processes_test.cpp: what several processes held at once, from timelines on one clock.
#include "analyze/balance/processes.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "../ledger/memory_ledger.h"
#include "ledger/image.h"

namespace tenure::analyze {
namespace {

using Levels = std::vector<std::pair<uint64_t, uint64_t>>;  // when, and what was live from then on

ledger::Reader process_with(const Levels& levels, uint64_t ended, int pid = 7) {
  ledger::MemoryLedger ledger;
  ledger::Header& h = ledger.writer().header();
  h.pid = pid;
  h.started_mono_ns = levels.front().first;
  h.ended_mono_ns = ended;
  Tick tick = 0;
  for (const auto& [when, live] : levels) {
    ledger.add<ledger::TimelineEntry>(ledger::TableId::timeline) = {++tick, when, live, 0};
    h.live_bytes = live;
    if (live <= h.peak_bytes.load()) continue;
    h.peak_bytes = live;
    h.peak_tick = tick;
  }
  return std::move(*ledger::Reader::from_bytes(ledger::copy_used(ledger.memory()), "invented"));
}

JointPeak peak_of(std::vector<ledger::Reader> ledgers) {
  record::Record record;
  for (ledger::Reader& ledger : ledgers)
    record.ledgers.emplace(static_cast<int>(record.ledgers.size()), std::move(ledger));
  record.outcome.processes.resize(record.ledgers.size());
  return joint_peak(record);
}

template <class... Ledger>
JointPeak peak_of_these(Ledger... ledgers) {
  std::vector<ledger::Reader> all;
  (all.push_back(std::move(ledgers)), ...);
  return peak_of(std::move(all));
}

TEST(Processes, NoneHeldNothing) { EXPECT_EQ(peak_of({}).bytes, 0u); }

TEST(Processes, OfOneItIsItsOwnPeak) {
  JointPeak peak = peak_of_these(process_with({{10, 500}, {20, 900}, {30, 100}}, 40));
  EXPECT_EQ(peak.bytes, 900u);
  EXPECT_EQ(peak.processes, 1u);
}

TEST(Processes, ThatAreThereTogetherAddUp) {
  JointPeak peak = peak_of_these(process_with({{10, 500}, {30, 900}}, 60),
                                 process_with({{20, 400}, {50, 100}}, 60));
  EXPECT_EQ(peak.bytes, 1300u);
  EXPECT_EQ(peak.processes, 2u);
}

TEST(Processes, OneAfterTheOtherDoNotAddUp) {
  JointPeak peak = peak_of_these(process_with({{10, 900}}, 20), process_with({{30, 800}}, 40));
  EXPECT_EQ(peak.bytes, 900u);
  EXPECT_EQ(peak.processes, 1u);
}

TEST(Processes, OneThatLeftUnheardWasThereWhenItWasLastSeen) {
  record::Record record;
  record.outcome.processes.resize(2);
  record.ledgers.emplace(0, process_with({{10, 900}}, 0));
  record.ledgers.emplace(1, process_with({{30, 800}}, 40));
  EXPECT_EQ(joint_peak(record).bytes, 900u);
  record.outcome.processes[0].seen_ns = 35;
  EXPECT_EQ(joint_peak(record).bytes, 1700u);
}

TEST(Processes, OnlyThoseThatHeldSomeAreCounted) {
  EXPECT_EQ(peak_of_these(process_with({{10, 960}}, 40), process_with({{20, 40}}, 40)).processes,
            1u);
  EXPECT_EQ(peak_of_these(process_with({{10, 940}}, 40), process_with({{20, 60}}, 40)).processes,
            2u);
}

TEST(Processes, AreListedInTheOrderInWhichTheyBegan) {
  record::Record record;
  record.outcome.processes.resize(2);
  record.outcome.processes[1].resident.peak = 5000;
  record.ledgers.emplace(0, process_with({{2'000'000'000, 300}}, 3'000'000'000, 8));
  record.ledgers.emplace(
      1, process_with({{1'000'000'000, 900}, {1'500'000'000, 200}}, 4'000'000'000, 7));
  std::vector<ProcessFigures> all = process_figures(record);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].pid, 7);
  EXPECT_EQ(all[0].peak_bytes, 900u);
  EXPECT_EQ(all[0].live_bytes, 200u);
  EXPECT_EQ(all[0].resident_peak_bytes, 5000u);
  EXPECT_EQ(all[0].ended_seconds, 3);
  EXPECT_EQ(all[1].began_seconds, 1);
}

}  // namespace
}  // namespace tenure::analyze
