// tests/unit/cli/live_keys_test.cpp: bytes of a terminal in, what the live view does out.
#include "cli/live_keys.h"

#include <gmock/gmock.h>

#include "../report/sample_live.h"
#include "cli/live_watch.h"
#include "report/live_lines.h"

namespace tenure::cli {
namespace {

using report::LiveOrder;
using report::LivePage;
using report::LiveState;
using report::LiveView;
using Kind = Key::Kind;

std::vector<Kind> kinds(const std::vector<Key>& keys) {
  std::vector<Kind> kinds;
  for (const Key& key : keys) kinds.push_back(key.kind);
  return kinds;
}

// What the view is after these bytes were typed; the last act that was asked for.
struct Typed {
  LiveView view;
  LiveAct act = LiveAct::none;
};

Typed typed(const std::string& bytes, const LiveState& state = report::running_leak()) {
  Typed result;
  KeyReader reader;
  for (const Key& key : reader.read(bytes)) result.act = apply(key, state, 2, result.view);
  for (const Key& key : reader.flush()) result.act = apply(key, state, 2, result.view);
  return result;
}

int selected_line(const Typed& typed) {
  const LiveState state = report::running_leak();
  const auto lines = report::shown_lines(state, typed.view);
  return lines[report::selected_in(lines, typed.view)]->line.place.line;
}

TEST(KeyReader, KnowsArrowsInBothModesAndTheirNeighbours) {
  KeyReader reader;
  EXPECT_THAT(kinds(reader.read("\x1b[A\x1bOB\x1b[5~\x1b[6~\x1b[H\x1bOF\x1b[1~\x1b[4~")),
              testing::ElementsAre(Kind::up, Kind::down, Kind::page_up, Kind::page_down, Kind::home,
                                   Kind::end, Kind::home, Kind::end));
}

TEST(KeyReader, PutsAKeyTogetherThatComesInPieces) {
  KeyReader reader;
  EXPECT_THAT(reader.read("\x1b"), testing::IsEmpty());
  EXPECT_TRUE(reader.is_waiting());
  EXPECT_THAT(reader.read("["), testing::IsEmpty());
  EXPECT_THAT(kinds(reader.read("A")), testing::ElementsAre(Kind::up));
  EXPECT_FALSE(reader.is_waiting());
}

TEST(KeyReader, TakesALoneEscapeForOneWhenNothingFollows) {
  KeyReader reader;
  EXPECT_THAT(reader.read("\x1b"), testing::IsEmpty());
  EXPECT_THAT(kinds(reader.flush()), testing::ElementsAre(Kind::escape));
  EXPECT_FALSE(reader.is_waiting());
}

TEST(KeyReader, SkipsKeysItDoesNotKnow) {
  KeyReader reader;
  EXPECT_THAT(kinds(reader.read("\x1b[15~\x1b[1;5C\x01q")), testing::ElementsAre(Kind::character));
}

TEST(KeyReader, ReadsCharactersOfSeveralBytesAsOne) {
  KeyReader reader;
  EXPECT_THAT(reader.read("\xE5\xAD"), testing::IsEmpty());
  const std::vector<Key> keys = reader.read("\xA6");
  ASSERT_EQ(keys.size(), 1u);
  EXPECT_EQ(keys[0].text, "学");
}

TEST(LiveKeys, QuitByLetterAndByControlC) {
  EXPECT_EQ(typed("q").act, LiveAct::quit);
  EXPECT_EQ(typed("\x03").act, LiveAct::quit);
  EXPECT_EQ(typed("\x04").act, LiveAct::quit);
  EXPECT_EQ(typed("r").act, LiveAct::page);
  EXPECT_EQ(typed("/abc\x03").act, LiveAct::quit) << "also while a filter is typed";
}

TEST(LiveKeys, AskForSnapshotAndSuspend) {
  EXPECT_EQ(typed("s").act, LiveAct::snapshot);
  EXPECT_EQ(typed("\x1a").act, LiveAct::suspend);
}

TEST(LiveKeys, MoveAmongLinesAndStopAtTheirEnds) {
  EXPECT_EQ(selected_line(typed("")), 42);
  EXPECT_EQ(selected_line(typed("\x1b[B")), 7);
  EXPECT_EQ(selected_line(typed("jj")), 19);
  EXPECT_EQ(selected_line(typed("jjjjj")), 19);
  EXPECT_EQ(selected_line(typed("jk\x1b[A\x1b[A")), 42);
  EXPECT_EQ(selected_line(typed("\x1b[6~")), 19) << "a page is two lines here";
  EXPECT_EQ(selected_line(typed("\x1b[F")), 19);
  EXPECT_EQ(selected_line(typed("\x1b[F\x1b[H")), 42);
}

TEST(LiveKeys, SelectionStaysWithItsLineWhenTheOrderChanges) {
  Typed moved = typed("j");
  EXPECT_EQ(selected_line(moved), 7);
  moved.view.order = LiveOrder::place;
  EXPECT_EQ(selected_line(moved), 7);
}

TEST(LiveKeys, TurnTheOrderBothWays) {
  EXPECT_EQ(typed("o").view.order, LiveOrder::most);
  EXPECT_EQ(typed("oooo").view.order, LiveOrder::live);
  EXPECT_EQ(typed("O").view.order, LiveOrder::place);
}

TEST(LiveKeys, TypeAFilterAndLeaveIt) {
  EXPECT_EQ(typed("/model\r").view.filter, "model");
  EXPECT_FALSE(typed("/model\r").view.is_typing);
  EXPECT_TRUE(typed("/q").view.is_typing) << "a letter of the filter is no command";
  EXPECT_EQ(typed("/学習\x7f").view.filter, "学");
  EXPECT_EQ(typed("/abc\x1b").view.filter, "");
  EXPECT_EQ(typed("/abc\r\x1b").view.filter, "") << "Escape ends a filter that holds";
}

TEST(LiveKeys, OpenAndLeaveHelpAndDetails) {
  EXPECT_EQ(typed("?").view.page, LivePage::help);
  EXPECT_EQ(typed("??").view.page, LivePage::lines);
  EXPECT_EQ(typed("\r").view.page, LivePage::details);
  EXPECT_EQ(typed("\r\x1b").view.page, LivePage::lines);
}

TEST(LiveKeys, DoNothingWithoutLines) {
  LiveState empty = report::running_leak();
  empty.lines.clear();
  EXPECT_EQ(typed("jk\x1b[5~\x1b[F", empty).view.selected, "");
}

TEST(LivePause, IsASecondAndAtMostOneTwentiethOfAProcessor) {
  using namespace std::chrono_literals;
  EXPECT_EQ(pause_after(1ms), 1s);
  EXPECT_EQ(pause_after(50ms), 1s);
  EXPECT_EQ(pause_after(2s), 38s);
}

}  // namespace
}  // namespace tenure::cli
