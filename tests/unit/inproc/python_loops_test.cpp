// tests/unit/inproc/python_loops_test.cpp: loops of hand-made bytecode. That real code is read
// right is for tests/python_frames.
#include "inproc/stacks/python_loops.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <vector>

namespace tenure::inproc {

bool operator==(const LoopRange& a, const LoopRange& b) {
  return a.start == b.start && a.end == b.end && a.line == b.line;
}
void PrintTo(const LoopRange& r, std::ostream* out) {
  *out << "{" << r.start << ", " << r.end << ", line " << r.line << "}";
}

namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Bytes = std::vector<uint8_t>;
using Loops = std::vector<LoopRange>;

constexpr uint8_t kNop = 9;

// One line per code unit in the format of the version, so that line = first line + offset / 2.
struct Code {
  Code(int version_, Bytes bytes_) : version(version_), bytes(std::move(bytes_)) {
    for (size_t unit = 0; unit < bytes.size() / 2; unit++) add_unit_on_a_line(unit == 0 ? 0 : 1);
  }
  void add_unit_on_a_line(uint8_t delta) {
    if (version <= 0x309)
      lines.insert(lines.end(), {uint8_t(lines.empty() ? 0 : 2), delta});
    else if (version == 0x30a)
      lines.insert(lines.end(), {2, delta});
    else
      lines.insert(lines.end(), {uint8_t(0x80 | 13 << 3), uint8_t(delta * 2)});
  }
  Loops loops(int max = 16) const {
    Loops found(static_cast<size_t>(max));
    Bytecode code{version,
                  bytes.data(),
                  int32_t(bytes.size()),
                  {line_format(version), lines.data(), lines.size(), 1}};
    code.exceptions = exceptions.data();
    code.exceptions_size = exceptions.size();
    code.hidden = hidden;
    found.resize(size_t(find_loops(code, found.data(), max)));
    return found;
  }
  int32_t exit_of(int32_t start) const {
    return for_exit({version, bytes.data(), int32_t(bytes.size()), {}}, start);
  }
  int version;
  Bytes bytes, lines, exceptions;
  HiddenOpcodes hidden;
};

// --- 3.7 to 3.10: absolute jumps -----------------------------------------------------------------

namespace py37 {
constexpr uint8_t kForIter = 93, kJumpAbsolute = 113, kPopJumpIfFalse = 114, kContinueLoop = 119,
                  kSetupLoop = 120, kExtendedArg = 144;
}

TEST(PythonLoops, AnUnknownVersionHasNone) {
  EXPECT_THAT((Code{0x306, {113, 0}}.loops()), IsEmpty());
}

TEST(PythonLoops, For37) {
  const Code code(0x307, {kNop, 0, py37::kForIter, 4, kNop, 0, py37::kJumpAbsolute, 2, kNop, 0});
  EXPECT_THAT(code.loops(), ElementsAre(LoopRange{2, 6, 2}));
}

TEST(PythonLoops, AForKnowsItsExit) {
  const Code code(0x307, {kNop, 0, py37::kForIter, 4, kNop, 0, py37::kJumpAbsolute, 2, kNop, 0});
  EXPECT_EQ(code.exit_of(2), 8);
  EXPECT_EQ(code.exit_of(4), kNoExit);
}

TEST(PythonLoops, WhileTrue37IsOnTheLineOfItsSetup) {
  const Code code(0x307,
                  {py37::kSetupLoop, 8, kNop, 0, py37::kPopJumpIfFalse, 2, py37::kJumpAbsolute, 2});
  EXPECT_THAT(code.loops(), ElementsAre(LoopRange{2, 4, 1}, LoopRange{2, 6, 1}));
}

TEST(PythonLoops, Continue37) {
  const Code code(0x307,
                  {kNop, 0, py37::kForIter, 4, py37::kContinueLoop, 2, py37::kJumpAbsolute, 2});
  EXPECT_THAT(code.loops(), ElementsAre(LoopRange{2, 4, 2}, LoopRange{2, 6, 2}));
}

TEST(PythonLoops, ForwardJumpsAreNone) {
  EXPECT_THAT((Code{0x308, {py37::kPopJumpIfFalse, 4, py37::kJumpAbsolute, 4, kNop, 0}}.loops()),
              IsEmpty());
}

TEST(PythonLoops, ExtendedArgumentsReachFar) {
  Bytes bytes(600, 0);
  for (size_t i = 0; i < bytes.size(); i += 2) bytes[i] = kNop;
  const Bytes jump = {py37::kExtendedArg, 1, py37::kJumpAbsolute, 4};  // to 260
  bytes.insert(bytes.end(), jump.begin(), jump.end());
  EXPECT_THAT((Code{0x308, bytes}.loops()), ElementsAre(LoopRange{260, 602, 131}));
  EXPECT_THAT((Code{0x30a, bytes}.loops()),
              ElementsAre(LoopRange{520, 602, 261}));  // 3.10 counts code units
}

TEST(PythonLoops, WhileIn310IsOnTheLineOfItsTest) {
  Code code(0x30a, {kNop, 0, kNop, 0, py37::kPopJumpIfFalse + 1, 1});
  code.lines = {2, 5, 2,
                1, 2, 0xff};  // the body is on line 7, the test before and behind it on line 6
  EXPECT_THAT(code.loops(), ElementsAre(LoopRange{2, 4, 6}));
}

// --- 3.11+: relative jumps, caches ---------------------------------------------------------------

namespace py311 {
constexpr uint8_t kForIter = 93, kLoadGlobal = 116, kJumpBackwardNoInterrupt = 134,
                  kJumpBackward = 140, kExtendedArg = 144, kResume = 151,
                  kPopJumpBackwardIfTrue = 176;
}

TEST(PythonLoops, CachesAreNoInstructions) {
  // LOAD_GLOBAL has five cache entries here; filled with what would be jumps.
  const uint8_t jump = py311::kJumpBackward;
  const Code code(0x30b, {py311::kResume, 0, py311::kForIter, 7, py311::kLoadGlobal, 0, jump, 1,
                          jump, 1, jump, 1, jump, 1, jump, 1, jump, 8});
  EXPECT_THAT(code.loops(), ElementsAre(LoopRange{2, 16, 2}));
}

TEST(PythonLoops, ConditionalBackwardJumpsOf311) {
  const Code code(0x30b, {py311::kResume, 0, kNop, 0, py311::kPopJumpBackwardIfTrue, 2});
  EXPECT_THAT(code.loops(), ElementsAre(LoopRange{2, 4, 2}));
}

TEST(PythonLoops, AwaitAndYieldFromAreNone) {
  EXPECT_THAT(
      (Code{0x30b, {py311::kResume, 0, kNop, 0, py311::kJumpBackwardNoInterrupt, 2}}.loops()),
      IsEmpty());
}

TEST(PythonLoops, AJumpBeforeTheCodeIsNone) {
  EXPECT_THAT((Code{0x30b, {py311::kResume, 0, py311::kJumpBackward, 200}}.loops()), IsEmpty());
}

TEST(PythonLoops, TheSearchEndsAtAnOpcodeThatIsNone) {
  EXPECT_THAT((Code{0x30b, {py311::kResume, 0, 254, 0, py311::kJumpBackward, 2}}.loops()),
              IsEmpty());
}

TEST(PythonLoops, NoMoreThanAskedFor) {
  Code code(0x30b,
            {kNop, 0, py311::kJumpBackward, 2, py311::kJumpBackward, 3, py311::kJumpBackward, 4});
  EXPECT_EQ(code.loops(2).size(), 2u);
  EXPECT_EQ(code.loops(0).size(), 0u);
}

TEST(PythonLoops, TruncatedCodeIsNeverReadBeyondItsEnd) {
  const Bytes whole = {py311::kResume,
                       0,
                       py311::kExtendedArg,
                       1,
                       py311::kLoadGlobal,
                       0,
                       0,
                       0,
                       0,
                       0,
                       0,
                       0,
                       0,
                       0,
                       0,
                       0,
                       py311::kJumpBackward,
                       4};
  for (size_t size = 0; size <= whole.size(); size++)
    Code(0x30b, Bytes(whole.begin(), whole.begin() + long(size))).loops();
}

// --- 3.12: handlers at the end of the code -------------------------------------------------------

namespace py312 {
constexpr uint8_t kForIter = 93, kReturnConst = 121, kJumpBackward = 140, kResume = 151,
                  kInstrumentedInstruction = 253, kInstrumentedLine = 254;
// {start, length, handler, depth} in code units, each below 64
Bytes protect(std::vector<std::array<uint8_t, 3>> ranges) {
  Bytes table;
  for (const auto& range : ranges)
    table.insert(table.end(), {uint8_t(0x80 | range[0]), range[1], range[2], 0});
  return table;
}
}  // namespace py312

TEST(PythonLoops, LeavingAHandlerIsNone) {
  // 0 RESUME, 2 try body, 4 what follows, 6 return, 8 handler, 10 back to 4
  Code code(0x30c, {py312::kResume, 0, kNop, 0, kNop, 0, py312::kReturnConst, 0, kNop, 0,
                    py312::kJumpBackward, 4});
  code.exceptions = py312::protect({{1, 1, 4}});
  EXPECT_THAT(code.loops(), IsEmpty());
}

TEST(PythonLoops, ContinueInAHandlerIsOne) {
  // 0 RESUME, 2 FOR_ITER (+cache), 6 try body, 8 back to 2, 10 return, 12 handler, 14 back to 2
  Code code(0x30c, {py312::kResume, 0, py312::kForIter, 2, 0, 0, kNop, 0, py312::kJumpBackward, 4,
                    py312::kReturnConst, 0, kNop, 0, py312::kJumpBackward, 7});
  code.exceptions = py312::protect({{3, 1, 6}});
  EXPECT_THAT(code.loops(), ElementsAre(LoopRange{2, 8, 2}, LoopRange{2, 14, 2}));
}

TEST(PythonLoops, ContinueInAHandlerBehindAnotherHandlerIsOne) {
  // 0 RESUME, 2 first try body, 4 FOR_ITER (+cache), 8 second try body, 10 back to 4, 12 return, 14
  // first handler, 16 back to 4 (leaves), 18 second handler, 20 back to 4 (continues)
  Code code(0x30c, {py312::kResume,
                    0,
                    kNop,
                    0,
                    py312::kForIter,
                    2,
                    0,
                    0,
                    kNop,
                    0,
                    py312::kJumpBackward,
                    4,
                    py312::kReturnConst,
                    0,
                    kNop,
                    0,
                    py312::kJumpBackward,
                    7,
                    kNop,
                    0,
                    py312::kJumpBackward,
                    9});
  code.exceptions = py312::protect({{1, 1, 7}, {4, 1, 9}});
  EXPECT_THAT(code.loops(), ElementsAre(LoopRange{4, 10, 3}, LoopRange{4, 20, 3}));
}

TEST(PythonLoops, ABrokenExceptionTableIsHarmless) {
  Code code(0x30c, {py312::kResume, 0, kNop, 0, py312::kJumpBackward, 2});
  code.exceptions = {0xff, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f};
  EXPECT_THAT(code.loops(), ElementsAre(LoopRange{2, 4, 2}));
}

// --- opcodes that were overwritten ---------------------------------------------------------------

TEST(PythonLoops, LineAndInstructionEventsHideOpcodes) {
  Code code(0x30c,
            {py312::kResume, 0, py312::kInstrumentedLine, 1, 0, 0, py312::kInstrumentedLine, 3});
  const Bytes by_line = {0, 0, py312::kForIter, 0, 0, 0, py312::kInstrumentedInstruction, 0};
  const Bytes by_instruction = {0, 0, 0, py312::kJumpBackward};
  EXPECT_THAT(code.loops(), IsEmpty());  // nobody says what is below
  code.hidden.by_line = by_line.data();
  code.hidden.by_line_stride = 2;
  code.hidden.by_instruction = by_instruction.data();
  EXPECT_THAT(code.loops(), ElementsAre(LoopRange{2, 6, 2}));
}

TEST(PythonLoops, ExecutorsOfTheJitHideOpcodes) {
  constexpr uint8_t kEnterExecutor = 255, kJumpBackward = 75, kNop314 = 27;
  Code code(0x30e, {kNop314, 0, kNop314, 0, kEnterExecutor, 1, 0, 0});
  std::array<uint8_t, 64> executor{};
  executor[32] = kJumpBackward;  // one cache entry in 3.14
  executor[33] = 3;
  struct {
    int32_t size = 2, capacity = 2;
    const void* items[2] = {nullptr, nullptr};
  } executors;
  code.hidden.executors = &executors;
  EXPECT_THAT(code.loops(), IsEmpty());
  executors.items[1] = executor.data();
  EXPECT_THAT(code.loops(), ElementsAre(LoopRange{2, 4, 2}));
  executors.size = 1;
  EXPECT_THAT(code.loops(), IsEmpty());
}

}  // namespace
}  // namespace tenure::inproc
