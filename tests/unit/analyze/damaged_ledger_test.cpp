// tests/unit/analyze/damaged_ledger_test.cpp: ledgers that no process wrote: judging them comes to an end.
#include <gtest/gtest.h>

#include "run_builder.h"

namespace tenure::analyze {
namespace {

TEST(DamagedLedger, NativeStacksThatLeadToEachOtherAreWalkedOnce) {
  ledger::MemoryLedger ledger;
  uint32_t frame = 0;
  ledger.add<ledger::Frame>(ledger::TableId::frames, &frame).kind =
      static_cast<uint32_t>(ledger::FrameKind::native);
  ledger.add<ledger::Stack>(ledger::TableId::stacks) = {{2}, {frame}, 1};
  ledger.add<ledger::Stack>(ledger::TableId::stacks) = {{1}, {frame}, 2};
  auto& move = ledger.add<ledger::Series>(ledger::TableId::series);
  move.kind = static_cast<uint32_t>(ledger::SeriesKind::native_move);
  move.prefix = {2};
  move.count.store(1000);

  auto reader = ledger::Reader::from_bytes(ledger::copy_used(ledger.memory()), "a damaged run");
  ASSERT_TRUE(reader);
  EXPECT_TRUE(judge(RunBuilder::record_of(std::move(*reader)), {}).findings.empty());
}

}  // namespace
}  // namespace tenure::analyze
