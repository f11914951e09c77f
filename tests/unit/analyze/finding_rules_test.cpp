// tests/unit/analyze/finding_rules_test.cpp: the thresholds of analyze/findings/rules.h: how many places a finding has, and
// how sure each kind of it is.
#include <gtest/gtest.h>

#include "../ledger/memory_ledger.h"
#include "analyze/findings/error_findings.h"
#include "analyze/findings/growth_findings.h"
#include "analyze/findings/pile_findings.h"
#include "inproc/accounting/site_table.h"
#include "inproc/stacks/stack_table.h"
#include "ledger/image.h"

namespace tenure::analyze {
namespace {

// A process with a function on each line, called by the one before it, and one site below each.
class Process {
 public:
  explicit Process(uint32_t lines) {
    stacks_.start(&ledger_.writer());
    sites_.start(&ledger_.writer());
    StackId stack{};
    for (uint32_t line = 1; line <= lines; ++line) {
      CodeId code = stacks_.code({string("train.py"), string("f" + std::to_string(line)), 1, 0});
      ledger::Frame frame{};
      frame.kind = static_cast<uint32_t>(ledger::FrameKind::python);
      frame.owner = code.value;
      frame.line = line;
      frame.lasti = static_cast<int32_t>(line);
      stack = stacks_.stack(stack, stacks_.frame(frame));
      if (line == 1) outermost_ = stack;
      made_.insert(made_.begin(), sites_.find({stack, ledger::BlockKind::heap}));
    }
  }

  const std::vector<SiteId>& sites() const { return made_; }  // innermost first

  // Of small objects, asked for by the outermost line.
  SiteId arena() {
    SiteId site = sites_.find({outermost_, ledger::BlockKind::object_arena});
    sites_.birth(site, 1, {1 << 20, 0, 1}, false);
    return site;
  }

  Finding describe(Growth growth) {
    auto reader =
        ledger::Reader::from_bytes(ledger::copy_used(ledger_.memory()), "an invented run");
    record::Record record;
    record::Symbols symbols;
    Frames frames(*reader, symbols);
    Units units(frames);
    bytecode::Program program;
    ProcessRun run{record, 0, frames, units, program};
    return describe_growth(run, {{std::move(growth), std::nullopt}}, "").at(0);
  }

 private:
  StringId string(const std::string& text) {
    return stacks_.string(text.data(), static_cast<uint32_t>(text.size()));
  }
  ledger::MemoryLedger ledger_;
  inproc::StackTable stacks_;
  inproc::SiteTable sites_;
  std::vector<SiteId> made_;
  StackId outermost_;
};

Growth growth_of(GrowthClass what, double survivors, bool is_estimated = false) {
  Growth growth;
  growth.what = what;
  growth.survivors = survivors;
  growth.is_estimated = is_estimated;
  return growth;
}

TEST(FindingRules, ALeakHasFourLinesAndTwoCallersOfTheFirst) {
  Process process(6);
  Growth one_line = growth_of(GrowthClass::leak, 100), all = one_line, caused = one_line;
  one_line.sites = {process.sites().front()};
  all.sites = process.sites();
  EXPECT_EQ(process.describe(one_line).where.size(), 1u + 2u);
  EXPECT_EQ(process.describe(all).where.size(), 4u + 2u);
  caused.sites = one_line.sites;
  caused.cause.emplace();
  for (int line = 1; line <= 6; ++line)
    caused.cause->lines.push_back({.file = "train.py", .function = "train", .line = line});
  EXPECT_EQ(process.describe(caused).where.size(), 4u);
}

// Lines that asked for arenas come behind one that left so many blocks of its own.
TEST(FindingRules, ALineThatLeftBlocksMadeTheSmallObjects) {
  for (int blocks : {7, 8}) {
    Process process(2);
    Growth growth = growth_of(GrowthClass::leak, 100);
    growth.block_kind = ledger::BlockKind::object_arena;
    growth.sites = {process.arena(), process.sites().front()};
    growth.lives = {{}, {Slice{.survivors = static_cast<double>(blocks)}}};
    EXPECT_EQ(process.describe(growth).where.front().line, blocks == 8 ? 2 : 1) << blocks;
  }
}

TEST(FindingRules, GrowthIsAsSureAsItsSurvivorsAreMany) {
  struct {
    const char* what;
    Growth growth;
    double confidence;
  } rows[] = {
      {"a leak of many blocks", growth_of(GrowthClass::leak, 1000), 0.95},
      {"a leak of many samples", growth_of(GrowthClass::leak, 1000, true), 0.8},
      {"a leak of eight blocks", growth_of(GrowthClass::leak, 8), 0.6005},
      {"a suspicion", growth_of(GrowthClass::suspected, 1000), 0.4},
      {"too few steps", growth_of(GrowthClass::too_short, 1000), 0.3},
  };
  for (auto& row : rows) {
    Process process(1);
    row.growth.sites = process.sites();
    EXPECT_NEAR(process.describe(row.growth).confidence, row.confidence, 0.0001) << row.what;
  }
}

TEST(FindingRules, StepsBeforeTheFirstAdditionAreNotTold) {
  struct {
    const char* what;
    uint64_t bytes;
    bool is_one_block;
    uint64_t told;
  } rows[] = {
      {"it grew all along", 20'000, false, 200},
      {"it grew in nearly all of them", 18'200, false, 200},
      {"it began late", 18'100, false, 181},
      {"a block has room for more than is in it", 40'000, true, 200},
  };
  for (auto& row : rows) {
    Process process(1);
    Growth growth = growth_of(GrowthClass::leak, 100);
    growth.sites = process.sites();
    growth.steps = 200;
    growth.bytes_per_step = 100;
    growth.bytes = row.bytes;
    growth.is_one_block = row.is_one_block;
    EXPECT_EQ(process.describe(growth).steps, row.told) << row.what;
  }
}

TEST(FindingRules, SamplesAreToldAsAnEstimate) {
  Process process(1);
  Growth growth = growth_of(GrowthClass::leak, 100, true);
  growth.sites = process.sites();
  growth.count = 348;
  growth.blocks = 57'123;
  Finding told = process.describe(growth);
  EXPECT_TRUE(told.is_estimated);
  EXPECT_EQ(told.count, 57'123u);
  EXPECT_NE(told.why.find("57000"), std::string::npos) << told.why;
}

TEST(FindingRules, WhatWasSeenToHappenIsSure) {
  auto error = [](Severity severity) {
    LifetimeError told;
    told.told_as = severity;
    return describe_error(told).confidence;
  };
  EXPECT_EQ(error(Severity::error), 0.95);
  EXPECT_EQ(error(Severity::warning), 0.6) << "the program caught it and went on";
  EXPECT_EQ(describe_death({}).confidence, 0.9);
  EXPECT_EQ(describe_garbage({}).confidence, 0.85);
  EXPECT_EQ(describe_copies({}).confidence, 0.9);
}

TEST(FindingRules, ALeakTellsWhenMemoryWillBeFull) {
  Finding leak;
  leak.severity = Severity::leak;
  leak.bytes_per_step = 1 << 20;
  leak.steps = 10;
  Finding far = leak, quiet = leak;
  quiet.severity = Severity::note;
  tell_when_full(uint64_t{200} << 20, leak);
  tell_when_full(uint64_t{201} << 20, far);
  tell_when_full(uint64_t{200} << 20, quiet);
  EXPECT_EQ(leak.steps_till_full, 200u);
  EXPECT_FALSE(far.steps_till_full);
  EXPECT_FALSE(quiet.steps_till_full);
}

}  // namespace
}  // namespace tenure::analyze
