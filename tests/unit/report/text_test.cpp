// tests/unit/report/text_test.cpp: sizes, places and text of unknown origin.
#include "report/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "report/bytes.h"
#include "report/place.h"
#include "report/verdict_sentence.h"

namespace tenure::report {
namespace {

using testing::ElementsAre;

TEST(HumanBytes, HasAtMostThreeDigits) {
  EXPECT_EQ(human_bytes(uint64_t{0}), "0 B");
  EXPECT_EQ(human_bytes(uint64_t{512}), "512 B");
  EXPECT_EQ(human_bytes(uint64_t{1024}), "1 KiB");
  EXPECT_EQ(human_bytes(uint64_t{13002342}), "12.4 MiB");
  EXPECT_EQ(human_bytes(uint64_t{310} << 20), "310 MiB");
  EXPECT_EQ(human_bytes(uint64_t{104805172}), "100 MiB");  // 99.95
  EXPECT_EQ(human_bytes(UINT64_MAX), "16 EiB");
}

TEST(HumanBytes, NeverReachesAThousandAndTwentyFourOfAUnit) {
  EXPECT_EQ(human_bytes(uint64_t{1023}), "1023 B");
  EXPECT_EQ(human_bytes((uint64_t{1} << 20) - 1), "1 MiB");
}

TEST(HumanBytes, TakesASlopeOfAnySign) {
  EXPECT_EQ(human_bytes(-1536.0), "-1.5 KiB");
  EXPECT_EQ(human_bytes(0.4), "0 B");
  EXPECT_EQ(human_bytes(-0.2), "0 B");
  EXPECT_EQ(human_bytes(std::numeric_limits<double>::quiet_NaN()), "?");
}

TEST(HumanCount, GroupsFromFiveDigitsOn) {
  EXPECT_EQ(human_count(0), "0");
  EXPECT_EQ(human_count(1024), "1024");
  EXPECT_EQ(human_count(21400), "21,400");
  EXPECT_EQ(human_count(1234567890), "1,234,567,890");
}

TEST(HumanShare, SaysUnderATenthForTheSmallest) {
  EXPECT_EQ(human_share(0.0001), "under 0.1 %");
  EXPECT_EQ(human_share(0.004), "0.4 %");
  EXPECT_EQ(human_share(0.0104), "1 %");
  EXPECT_EQ(human_share(0.124), "12 %");
}

TEST(HumanSeconds, PicksAUnitPeopleRead) {
  EXPECT_EQ(human_seconds(85e-6), "85 us");
  EXPECT_EQ(human_seconds(0.012), "12 ms");
  EXPECT_EQ(human_seconds(0.31), "0.31 s");
  EXPECT_EQ(human_seconds(12.5), "12.5 s");
  EXPECT_EQ(human_seconds(200), "3 min 20 s");
  EXPECT_EQ(human_seconds(7500), "2 h 05 min");
  EXPECT_EQ(human_seconds(-1), "?");
}

TEST(ValidUtf8, KeepsWhatIsValid) {
  const std::string text = "a é 漢 🙂";
  EXPECT_EQ(valid_utf8(text), text);
}

TEST(ValidUtf8, ReplacesEachInvalidByte) {
  EXPECT_EQ(valid_utf8("a\xff"), "a\uFFFD");
  EXPECT_EQ(valid_utf8("\xe2\x82"), "\uFFFD\uFFFD");                 // cut short
  EXPECT_EQ(valid_utf8("\xc0\xaf"), "\uFFFD\uFFFD");                 // overlong
  EXPECT_EQ(valid_utf8("\xed\xa0\x80"), "\uFFFD\uFFFD\uFFFD");       // surrogate
  EXPECT_EQ(valid_utf8("\xf4\x90\x80\x80").substr(0, 3), "\uFFFD");  // beyond Unicode
}

TEST(Printable, MakesOneLine) { EXPECT_EQ(printable("\t a\r\n  b\u2028c \n"), "a b c"); }

TEST(Printable, ReplacesDirectionMarks) { EXPECT_EQ(printable("a\u202Eb"), "a\uFFFDb"); }

TEST(WidthOf, CountsColumns) {
  EXPECT_EQ(width_of("abc"), 3);
  EXPECT_EQ(width_of("é"), 1);
  EXPECT_EQ(width_of("e\u0301"), 1);
  EXPECT_EQ(width_of("漢字"), 4);
}

TEST(Cut, NeverBreaksACharacter) {
  EXPECT_EQ(cut("abcdef", 6), "abcdef");
  EXPECT_EQ(cut("abcdef", 4), "abc…");
  EXPECT_EQ(cut("漢字漢字", 4), "漢…");
  EXPECT_EQ(cut("é", 0), "");
}

TEST(CutBytes, CountsBytesAndBreaksNoCharacter) {
  EXPECT_EQ(cut_bytes("abcdef", 6), "abcdef");
  EXPECT_EQ(cut_bytes("abcdefg", 6), "abc…");
  EXPECT_EQ(cut_bytes("ab漢字", 7), "ab…");
}

TEST(CutCharacters, CountsCodePoints) {
  EXPECT_EQ(cut_characters("漢字漢", 3), "漢字漢");
  EXPECT_EQ(cut_characters("漢字漢字", 3), "漢字…");
}

TEST(Wrapped, BreaksAtSpacesOnly) {
  EXPECT_THAT(wrapped("one two three", 7), ElementsAre("one two", "three"));
  EXPECT_THAT(wrapped("a verylongword b", 6), ElementsAre("a", "verylongword", "b"));
  EXPECT_THAT(wrapped("", 6), ElementsAre());
}

TEST(ShownPath, IsRelativeOnlyWhereThatIsShorter) {
  EXPECT_EQ(shown_path("/data/job/train.py", "/data/job"), "train.py");
  EXPECT_EQ(shown_path("/data/lib/x.py", "/data/job"), "../lib/x.py");
  EXPECT_EQ(shown_path("/x.py", "/data/job/run/7"), "/x.py");
  EXPECT_EQ(shown_path("train.py", "/data/job"), "train.py");
  EXPECT_EQ(shown_path("/data/job/train.py", ""), "/data/job/train.py");
}

TEST(PlaceText, NamesTheFunctionAsItsLanguageDoes) {
  EXPECT_EQ(place_text({"a.py", 4, "train", PlaceRole::made_at, ""}, ""), "a.py:4 in train()");
  EXPECT_EQ(place_text({"a.py", 4, "<module>", PlaceRole::made_at, ""}, ""), "a.py:4");
  EXPECT_EQ(place_text({"a.py", 4, "f.<locals>.<lambda>", PlaceRole::made_at, ""}, ""),
            "a.py:4 in f.<locals>.<lambda>");
  EXPECT_EQ(place_text({"a.cc", 4, "Pool<int>", PlaceRole::made_at, ""}, ""),
            "a.cc:4 in Pool<int>()");
  EXPECT_EQ(place_text({"a.cc", 0, "grow(int) const", PlaceRole::made_at, ""}, ""),
            "a.cc in grow(int) const");
  EXPECT_EQ(place_text({"", 0, "grow", PlaceRole::made_at, ""}, ""), "grow()");
}

analyze::ProgramInfo program(std::vector<std::string> arguments) {
  analyze::ProgramInfo info;
  info.arguments = std::move(arguments);
  return info;
}

TEST(ProgramName, IsTheScriptNotTheInterpreter) {
  EXPECT_EQ(program_name(program({"/usr/bin/python3", "-u", "-X", "dev", "jobs/train.py", "7"})),
            "train.py");
  EXPECT_EQ(program_name(program({"python", "-m", "pkg.train"})), "pkg.train");
  EXPECT_EQ(program_name(program({"python3", "-c", "pass"})), "python3");
  EXPECT_EQ(program_name(program({"./build/server", "--port", "1"})), "server");
  EXPECT_EQ(program_name(program({})), "the program");
}

}  // namespace
}  // namespace tenure::report
