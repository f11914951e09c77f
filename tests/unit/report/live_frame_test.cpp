// tests/unit/report/live_frame_test.cpp: a state and a size in, rows of the terminal out.
#include "report/live_frame.h"

#include <gmock/gmock.h>

#include "report/live_lines.h"
#include "report/text.h"
#include "sample_live.h"

namespace tenure::report {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

std::vector<std::string> frame(const LiveState& state, const LiveView& view, LiveSize size) {
  return live_frame(state, view, {size, false, true, false});
}

std::string text_of(const std::vector<std::string>& rows) {
  std::string text;
  for (const std::string& row : rows) text += row + "\n";
  return text;
}

int widest(const std::vector<std::string>& rows) {
  int width = 0;
  for (const std::string& row : rows) width = std::max(width, width_of(row));
  return width;
}

TEST(LiveFrame, HasVerdictCurvesLinesAndTheSelectedLineIn80x24) {
  EXPECT_EQ(text_of(frame(running_leak(), {}, {80, 24})),
            R"(train.py (4711)  running for 3 min 20 s
1 leak in 214 steps so far. Peak 3.1 GiB at step 213.
Live        2.6 GiB  ▁▁▁▁▁▂▂▂▂▂▂▂▂▂▃▃▃▃▃▃▃▃▃▄▄▄▄▄▄▅▅▅▅▅▅▅▅▅▆▆▆▆▆▆▆▆▆▇▇▇▇▇▇▇▇▇███
Resident    2.9 GiB  ▂▂▂▂▂▂▂▂▃▃▃▃▃▃▃▃▃▄▄▄▄▄▄▄▄▄▅▅▅▅▅▅▅▅▅▅▅▅▆▆▆▆▆▆▆▆▆▇▇▇▇▇▇▇▇▇███
Growth      12.4 MiB every step, 2.6 GiB now; 214 steps

      LIVE▾      MOST   PER STEP  CAME TO    MADE AT
>   2.6 GiB   2.6 GiB   12.4 MiB  leak       train.py:42 in train()
     48 MiB    64 MiB          -  note       data.py:7 in work()
        0 B   512 MiB          -  no growth  model.py:19 in work()








────────────────────────────────────────────────────────────────────────────────
made at   train.py:42 in train()   loss = criterion(model(x), y)
came to   leak, 12.4 MiB every iteration of train.py:36: blocks from all along
          the later half of the run are alive, at a steady pace
kept by   global list `losses` (train.py:17), 214 items
? help   Enter more   o order   / filter   s snapshot   r page   q quit
)");
}

TEST(LiveFrame, KeepsVerdictAndLeakingLineIn40x10) {
  EXPECT_EQ(text_of(frame(running_leak(), {}, {40, 10})),
            R"(train.py (4711)  running for 3 min 20 s
1 leak in 214 steps so far. Peak 3.1 Gi…
Live        2.6 GiB  ▁▂▂▂▃▃▃▄▄▅▅▅▆▆▆▇▇▇█
      LIVE▾       STEP  MADE AT
>!  2.6 GiB   12.4 MiB  train.py:42 in …
     48 MiB          -  data.py:7 in wo…
        0 B          -  model.py:19 in …


? help   o order   / filter   q quit
)");
}

TEST(LiveFrame, ShowsHoldersBesideTheirLinesIn200x60) {
  const auto rows = frame(running_leak(), {}, {200, 60});
  EXPECT_THAT(rows, SizeIs(60));
  EXPECT_LE(widest(rows), 200);
  EXPECT_THAT(rows, Contains(AllOf(StartsWith(">"), HasSubstr("train.py:42 in train()"),
                                   HasSubstr("global list `losses` (train.py:17), 214 items"))));
}

TEST(LiveFrame, NeverIsLargerThanTheScreen) {
  LiveState state = running_leak();
  state.lines[0].line.place.file = "データ/学習データの読み込みと前処理のための長い名前.py";
  state.lines[0].line.place.source = "入力 = 読む(\"ファイル\")";
  state.processes.push_back({4712, kMiB, kMiB});
  for (LivePage page : {LivePage::lines, LivePage::details, LivePage::help}) {
    for (int columns : {1, 2, 5, 20, 39, 40, 59, 60, 79, 80, 109, 110, 200}) {
      for (int rows : {1, 2, 3, 5, 10, 15, 16, 19, 20, 24, 60}) {
        LiveView view;
        view.page = page;
        const auto shown = frame(state, view, {columns, rows});
        EXPECT_EQ(shown.size(), static_cast<size_t>(rows)) << columns << "x" << rows;
        EXPECT_LE(widest(shown), columns) << columns << "x" << rows;
      }
    }
  }
}

TEST(LiveFrame, CutsWideCharactersAsAWhole) {
  LiveState state = running_leak();
  state.lines = {live_line("学習学習学習学習学習学習.py", 3, GrowthClass::leak, kMiB, kMiB)};
  const std::pair<int, const char*> expected[] = {{40, "学習学習学習学…"},
                                                  {41, "学習学習学習学習…"}};
  for (const auto& [columns, name] : expected) {
    const auto rows = frame(state, {}, {columns, 10});
    EXPECT_LE(widest(rows), columns);
    EXPECT_THAT(text_of(rows), HasSubstr(std::string("  ") + name + "\n"));
  }
}

TEST(LiveFrame, IsAsciiWhereTheTerminalIs) {
  LiveState state = running_leak();
  state.lines[0].line.place.file = "データ.py";
  const auto rows = live_frame(state, {}, {{80, 24}, false, false, false});
  for (const char c : text_of(rows)) EXPECT_TRUE(static_cast<unsigned char>(c) < 0x80);
  EXPECT_THAT(text_of(rows), AllOf(HasSubstr("??????.py"), HasSubstr(".....:::")));
  EXPECT_LE(widest(rows), 80);
}

TEST(LiveFrame, ForAFileHasNoKeysAndNoSelection) {
  const auto rows = live_frame(running_leak(), {}, {{100, 40}, false, true, true});
  EXPECT_THAT(text_of(rows), AllOf(HasSubstr("train.py:42 in train()"), Not(HasSubstr("q quit")),
                                   Not(HasSubstr("\n>"))));
  EXPECT_LT(rows.size(), 20u);
}

TEST(LiveFrame, TellsHowOldFiguresAreOnlyWhileTheProgramRuns) {
  LiveState state = running_leak();
  state.age_seconds = 12;
  EXPECT_THAT(frame(state, {}, {80, 24})[0], HasSubstr("figures are 12.0 s old"));
  state.age_seconds = 2;
  EXPECT_THAT(frame(state, {}, {80, 24})[0], Not(HasSubstr("old")));
  state.age_seconds = 12;
  state.findings.program.is_running = false;
  EXPECT_THAT(frame(state, {}, {80, 24})[0], Not(HasSubstr("old")));
}

TEST(LiveFrame, KeepsFiguresOfAProgramThatWasKilled) {
  LiveState state = running_leak();
  state.findings.program.is_running = false;
  state.findings.program.signal = 9;
  const std::string text = text_of(frame(state, {}, {80, 24}));
  EXPECT_THAT(text, AllOf(HasSubstr("killed by signal 9 after 3 min 20 s"),
                          HasSubstr("1 leak in 214 steps."), HasSubstr("train.py:42 in train()")));
}

TEST(LiveFrame, TellsProcessesWhenThereAreSeveral) {
  LiveState state = running_leak();
  state.processes.push_back({4712, 3 * kMiB, 5 * kMiB});
  EXPECT_THAT(
      text_of(frame(state, {}, {80, 24})),
      HasSubstr("2 processes, live of resident: 4711 2.6 GiB of 2.9 GiB, 4712 3 MiB of 5 MiB"));
}

TEST(LiveFrame, SaysSoWhenNoLineMatchesOrNoneIsThere) {
  LiveState state = running_leak();
  LiveView view;
  view.filter = "nowhere";
  EXPECT_THAT(text_of(frame(state, view, {80, 24})), HasSubstr("no line has \"nowhere\""));
  state.lines.clear();
  EXPECT_THAT(text_of(frame(state, {}, {80, 24})), HasSubstr("no line held enough"));
}

TEST(LiveFrame, ScrollsToTheSelectedLine) {
  LiveState state = running_leak();
  for (int line = 100; line < 150; ++line)
    state.lines.push_back(live_line("many.py", line, GrowthClass::dismissed, 1, 1));
  LiveView view;
  view.selected = key_of(state.lines.back());
  EXPECT_THAT(frame(state, view, {80, 24}),
              Contains(AllOf(StartsWith(">"), HasSubstr("many.py:149"))));
}

TEST(LiveFrame, PaintsOnlyWithColour) {
  EXPECT_THAT(text_of(frame(running_leak(), {}, {80, 24})), Not(HasSubstr("\x1b")));
  const auto rows = live_frame(running_leak(), {}, {{80, 24}, true, true, false});
  EXPECT_THAT(text_of(rows), HasSubstr("\x1b[1;31m"));
}

TEST(LiveFrame, CannotBeSteeredByNamesOfTheProgram) {
  LiveState state = running_leak();
  state.lines[1].line.place.file = "evil\x1b[2J.py";
  state.lines[1].line.place.function = "f\x1b]0;x\x07";
  state.findings.program.arguments = {"\x1b[31mred"};
  EXPECT_THAT(text_of(frame(state, {}, {80, 24})), Not(HasSubstr("\x1b")));
}

TEST(LiveLines, AreInTheOrderAskedFor) {
  const LiveState state = running_leak();
  const auto first_in = [&](LiveOrder order) {
    LiveView view;
    view.order = order;
    return shown_lines(state, view)[0]->line.place.file;
  };
  EXPECT_EQ(first_in(LiveOrder::live), "train.py");
  EXPECT_EQ(first_in(LiveOrder::growth), "train.py");
  EXPECT_EQ(first_in(LiveOrder::place), "data.py");
  LiveState freed = running_leak();
  freed.lines[2].line.most_bytes = 4 * kGiB;
  LiveView view;
  view.order = LiveOrder::most;
  EXPECT_EQ(shown_lines(freed, view)[0]->line.place.file, "model.py");
}

TEST(LiveLines, AreFilteredByPlaceAndHolderInAnyCase) {
  const LiveState state = running_leak();
  LiveView view;
  view.filter = "LOSSES";
  ASSERT_THAT(shown_lines(state, view), SizeIs(1));
  EXPECT_EQ(shown_lines(state, view)[0]->line.place.line, 42);
  view.filter = "model.py:19";
  ASSERT_THAT(shown_lines(state, view), SizeIs(1));
}

LiveState sharing_a_terminal() {
  LiveState state = running_leak();
  state.output_file = "train.tenure/output.txt";
  for (int i = 1; i <= 9; ++i) state.output.push_back("epoch " + std::to_string(i));
  return state;
}

TEST(LiveFrame, OfAProgramInThisTerminalEndsWithWhatItPrintedLast) {
  const std::vector<std::string> rows = frame(sharing_a_terminal(), {}, {80, 24});
  ASSERT_EQ(rows.size(), 24u);
  EXPECT_THAT(rows[16], HasSubstr("what it prints goes to train.tenure/output.txt"));
  EXPECT_EQ(rows[17], "epoch 4");
  EXPECT_EQ(rows[22], "epoch 9");
  EXPECT_THAT(rows, Contains(HasSubstr("train.py:42 in train()")));
}

TEST(LiveFrame, HasTheOutputInASmallTerminalToo) {
  for (int count = 1; count <= 12; ++count)
    EXPECT_LE(frame(sharing_a_terminal(), {}, {40, count}).size(), static_cast<size_t>(count));
  const std::vector<std::string> rows = frame(sharing_a_terminal(), {}, {40, 10});
  EXPECT_THAT(rows[8], HasSubstr("epoch 9"));
  EXPECT_LE(widest(rows), 40);
}

}  // namespace
}  // namespace tenure::report
