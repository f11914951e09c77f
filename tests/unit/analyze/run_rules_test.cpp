// tests/unit/analyze/run_rules_test.cpp: the thresholds of analyze/run/rules.h: each run lies just within its threshold, the
// next one just beyond it.
#include <gtest/gtest.h>

#include "../ledger/memory_ledger.h"
#include "analyze/run/process_run.h"
#include "inproc/stacks/stack_table.h"
#include "ledger/image.h"

namespace tenure::analyze {
namespace {

// What one loop was seen to do; fields as in ledger::Series.
struct Seen {
  uint64_t counted = 0, backwards = 0, quiet = 0, repeats = 0, loose_repeats = 0;
};

class Loops {
 public:
  Loops() {
    stacks_.start(&ledger_.writer());
    code_ = stacks_.code({string("train.py"), string("train"), 1, 0}).value;
  }

  // One that ran from tick 1 to the given one. `end`: of its code; an outer loop has the greater one.
  void add(const Seen& seen, Tick last = 1000, uint64_t end = 100) {
    ledger::Series& loop = add_series(ledger::SeriesKind::python_loop, code_, seen, last);
    loop.line = static_cast<uint32_t>(end);
    loop.start = 200 - end;
    loop.end = end;
  }
  void add_native(uint64_t moves) {
    ledger::Module module{};
    module.path = string("/srv/project/libsolver.so");
    ledger::Series& loop = add_series(ledger::SeriesKind::native_move, stacks_.module(module).value,
                                      {.backwards = moves}, 1000);
    loop.function = 0x100;
    loop.start = 0x121;
    loop.end = 0x131;
    record::NativeLoop found;
    found.start = 0x110;
    found.end = 0x140;
    found.code = {{0x110, 0x140}};
    found.file = "/srv/project/solver.cpp";
    found.line = 12;
    answers_.loops[{"/srv/project/libsolver.so", "", 0x120}] = {found};
  }

  template <class Ask>
  auto units(Ask ask) {
    auto reader = ledger::Reader::from_bytes(ledger::copy_used(ledger_.memory()), "invented loops");
    record::Symbols symbols(answers_);
    Frames frames(*reader, symbols);
    return ask(Units(frames));
  }
  uint64_t rounds() {
    return units([](const Units& units) { return units.all().at(0).steps; });
  }
  // Of the loop that the report counts in; 0: none.
  int main_line() {
    return units([](const Units& units) {
      auto unit = units.main_unit();
      return unit ? unit->line : 0;
    });
  }

 private:
  StringId string(const std::string& text) {
    return stacks_.string(text.data(), static_cast<uint32_t>(text.size()));
  }
  ledger::Series& add_series(ledger::SeriesKind kind, uint32_t owner, const Seen& seen, Tick last) {
    auto& series = ledger_.add<ledger::Series>(ledger::TableId::series);
    series.kind = static_cast<uint32_t>(kind);
    series.owner = owner;
    series.count.store(seen.counted + seen.backwards + seen.repeats + seen.loose_repeats);
    series.counted = seen.counted;
    series.quiet_moves = seen.quiet;
    series.repeats = seen.repeats;
    series.loose_repeats = seen.loose_repeats;
    series.first_tick = 0;
    series.last_tick = last;
    return series;
  }

  ledger::MemoryLedger ledger_;
  inproc::StackTable stacks_;
  uint32_t code_ = 0;
  record::SymbolAnswers answers_;
};

TEST(RunRules, RepeatsAreRoundsWhereLittleElseTells) {
  struct {
    const char* what;
    Seen seen;
    uint64_t rounds;  // one more than it came round
  } rows[] = {
      {"eight repeats for each certain round", {.backwards = 10, .repeats = 80}, 91},
      {"fewer repeats", {.backwards = 10, .repeats = 79}, 11},
      {"eight moves without a repeat", {.backwards = 16, .quiet = 8, .repeats = 1000}, 17},
      {"fewer such moves", {.backwards = 14, .quiet = 7, .repeats = 1000}, 1015},
      {"a quarter repeats exactly", {.repeats = 25, .loose_repeats = 75}, 26},
      {"less does: sizes vary", {.repeats = 24, .loose_repeats = 76}, 101},
  };
  for (const auto& row : rows) {
    Loops loops;
    loops.add(row.seen);
    EXPECT_EQ(loops.rounds(), row.rounds) << row.what;
  }
}

TEST(RunRules, EightRoundsAreALoop) {
  for (uint64_t rounds : {7, 8}) {
    Loops loops;
    loops.add({.counted = rounds});
    EXPECT_EQ(loops.main_line() != 0, rounds == 8) << rounds;
  }
}

TEST(RunRules, AnOuterLoopThatLeavesOutAFifthCoversNearlyAsMuch) {
  for (Tick covered : {799u, 800u}) {
    Loops loops;
    loops.add({.counted = 1000}, 1000, 110);
    loops.add({.counted = 10}, covered, 150);
    EXPECT_EQ(loops.main_line(), covered == 800 ? 150 : 110) << covered;
  }
}

TEST(RunRules, FourMovesInALibraryAreWorthDisassembling) {
  for (uint64_t moves : {3, 4}) {
    Loops loops;
    loops.add_native(moves);
    size_t found = loops.units([](const Units& units) { return units.all().size(); });
    EXPECT_EQ(found, moves == 4 ? 1u : 0u) << moves;
  }
}

record::Record record_of(const std::vector<uint64_t>& peaks) {
  record::Record record;
  record.outcome.main_pid = 1;
  for (size_t i = 0; i < peaks.size(); ++i) {
    ledger::MemoryLedger ledger;
    ledger.writer().header().peak_bytes.store(peaks[i]);
    record.outcome.processes.push_back({.pid = static_cast<int>(i) + 1});
    record.ledgers.emplace(
        static_cast<int>(i),
        std::move(*ledger::Reader::from_bytes(ledger::copy_used(ledger.memory()), "a process")));
  }
  return record;
}

TEST(RunRules, AProcessBelowAMebibyteOnlyWaitsForAnother) {
  EXPECT_EQ(main_process(record_of({1 << 20, 1 << 30})), 0);
  EXPECT_EQ(main_process(record_of({(1 << 20) - 1, 1 << 30})), 1);
}

}  // namespace
}  // namespace tenure::analyze
