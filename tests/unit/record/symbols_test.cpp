// tests/unit/record/symbols_test.cpp: native names come from the record, and from nowhere else once it has them.
#include "record/symbols.h"

#include <gtest/gtest.h>

#include "record/symbols_json.h"

namespace tenure::record {
namespace {

const Address kCall{"/usr/lib/libfoo.so.1", "abcd", 0x1234};

SymbolAnswers some_answers() {
  SymbolAnswers answers;
  answers.frames[{kCall.module, kCall.build_id_hex, kCall.offset}] = {
      {"inner", "/src/foo.h", 12, true}, {"outer", "/src/foo.cpp", 40, false}};
  answers.frames[{kCall.module, kCall.build_id_hex, 0x99}] = {};
  NativeLoop loop;
  loop.start = 0x1200;
  loop.end = 0x1300;
  loop.code = {{0x1200, 0x1280}, {0x12f0, 0x1300}};
  loop.depth = 1;
  loop.function = "outer";
  loop.file = "/src/foo.cpp";
  loop.line = 38;
  answers.loops[{kCall.module, kCall.build_id_hex, kCall.offset}] = {loop};
  answers.problems = {"libbar.so has no debug information."};
  return answers;
}

TEST(Symbols, AnswerFromTheRecord) {
  Symbols symbols(some_answers());
  ASSERT_EQ(symbols.frames(kCall).size(), 2u);
  EXPECT_EQ(symbols.frames(kCall)[0].function, "inner");
  EXPECT_TRUE(symbols.frames(kCall)[0].inlined);
  EXPECT_EQ(symbols.function_name(kCall), "outer");
  ASSERT_EQ(symbols.loops_around(kCall).size(), 1u);
  EXPECT_EQ(symbols.loops_around(kCall)[0].line, 38);
}

TEST(Symbols, ThatNobodyAskedForAreModuleAndOffset) {
  Symbols symbols(some_answers());
  const Address other{kCall.module, kCall.build_id_hex, 0x4321};
  ASSERT_EQ(symbols.frames(other).size(), 1u);
  EXPECT_EQ(symbols.frames(other)[0].function, "libfoo.so.1+0x4321");
  EXPECT_EQ(symbols.frames(other)[0].line, 0);
  EXPECT_TRUE(symbols.loops_around(other).empty());
}

TEST(Symbols, OfAnotherBuildAreNotThose) {
  Symbols symbols(some_answers());
  EXPECT_EQ(symbols.function_name({kCall.module, "ef01", kCall.offset}), "libfoo.so.1+0x1234");
}

TEST(Symbols, ThatAreKnownToBeUnknownStayNameless) {
  Symbols symbols(some_answers());
  EXPECT_TRUE(symbols.frames({kCall.module, kCall.build_id_hex, 0x99}).empty());
}

TEST(Symbols, OfARunningMachineAreRemembered) {
  auto symbols = Symbols::from_modules();
  EXPECT_TRUE(symbols->frames({"/nowhere/libgone.so", "", 0x10}).empty());
  EXPECT_EQ(symbols->answers().frames.size(), 1u);
  EXPECT_EQ(symbols->problems().size(), 1u);
}

TEST(SymbolsJson, GivesBackEveryAnswer) {
  auto read = parse_symbols_json(symbols_json(some_answers()));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->frames.size(), 2u);
  EXPECT_EQ(read->problems, some_answers().problems);
  Symbols symbols(std::move(*read));
  EXPECT_EQ(symbols.frames(kCall)[1].file, "/src/foo.cpp");
  EXPECT_EQ(symbols.frames(kCall)[1].line, 40);
  const NativeLoop& loop = symbols.loops_around(kCall).at(0);
  EXPECT_EQ(loop.start, 0x1200u);
  EXPECT_EQ(loop.end, 0x1300u);
  EXPECT_EQ(loop.depth, 1);
  EXPECT_TRUE(loop.contains(0x12f8));
  EXPECT_FALSE(loop.contains(0x12e0));
}

TEST(SymbolsJson, ThatIsDamagedIsNoAnswer) {
  const std::string whole = symbols_json(some_answers());
  EXPECT_FALSE(parse_symbols_json(""));
  EXPECT_FALSE(parse_symbols_json("{}"));
  EXPECT_FALSE(parse_symbols_json(whole.substr(0, whole.size() / 2)));
  EXPECT_FALSE(parse_symbols_json(
      R"({"schema": "tenure-symbols/1", "strings": [], "problems": [],
          "modules": [{"path": "a", "build_id": "", "frames": [[1, [[7, 7, 1, 0]]]]}]})"));
}

}  // namespace
}  // namespace tenure::record
