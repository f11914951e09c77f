// tests/unit/inproc/python_frames_test.cpp: the reader on an interpreter made of bytes. Real
// interpreters are read in tests/python_frames.
#include "inproc/stacks/python_frames.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "../../python_frames/remembered_stack.h"
#include "fake_python.h"

namespace tenure::inproc {
namespace {

struct Stack {
  explicit Stack(const PythonReader& reader, int max = 8) : frames(size_t(max) + 1) {
    frames.resize(size_t(reader.capture(frames.data(), max, &truncated)));
  }
  std::vector<RawPythonFrame> frames;
  bool truncated = false;
};

TEST(PythonReader, WithoutPythonItIsAbsent) {
  PythonReader reader;
  EXPECT_EQ(reader.start([](const char*) -> void* { return nullptr; }), ReaderState::absent);
  EXPECT_TRUE(Stack(reader).frames.empty());
}

TEST(PythonReader, ReadsTheStackInnermostFirst) {
  FakePython python;
  const Object& outer = python.add_code("train.py", "train", 10);
  const Object& inner = python.add_code("loss.py", "loss", 50);
  python.call(outer, 18);
  python.call(inner, 0);
  PythonReader reader;
  ASSERT_EQ(reader.start(FakePython::lookup), ReaderState::on);
  EXPECT_EQ(reader.version(), 0x30b);
  const Stack stack(reader);
  ASSERT_EQ(stack.frames.size(), 2u);
  EXPECT_FALSE(stack.truncated);
  EXPECT_EQ(stack.frames[0].code, inner.data());
  EXPECT_EQ(stack.frames[1].lasti, 18);
  char text[32];
  EXPECT_EQ(reader.copy_file_name(stack.frames[1].code, text, sizeof text), 8);
  EXPECT_STREQ(text, "train.py");
  reader.copy_function_name(stack.frames[1].code, text, sizeof text);
  EXPECT_STREQ(text, "Outer.train");
  reader.copy_plain_name(stack.frames[1].code, text, sizeof text);
  EXPECT_STREQ(text, "train");
  EXPECT_EQ(reader.first_line(outer.data()), 10);
  EXPECT_EQ(reader.line(outer.data(), 18), 12);
}

TEST(PythonReader, DeepStacksAreTruncatedAtTheirOuterEnd) {
  FakePython python;
  const Object& code = python.add_code("a.py", "f", 1);
  for (int i = 0; i < 5; i++) python.call(code, i * 2);
  PythonReader reader;
  reader.start(FakePython::lookup);
  const Stack cut(reader, 3), whole(reader, 5);
  EXPECT_TRUE(cut.truncated);
  ASSERT_EQ(cut.frames.size(), 3u);
  EXPECT_EQ(cut.frames[0].lasti, 8);
  EXPECT_FALSE(whole.truncated);
  EXPECT_EQ(whole.frames.size(), 5u);
}

TEST(PythonReader, WhatIsNoCodeIsSkipped) {
  FakePython python;
  const Object& code = python.add_code("a.py", "f", 1);
  python.call(code, 0);
  python.call(python.keep(Object(256)), 0);  // another type
  PythonReader reader;
  reader.start(FakePython::lookup);
  EXPECT_EQ(Stack(reader).frames.size(), 1u);
}

TEST(PythonReader, AThreadWithoutThreadStateHasNoFrames) {
  FakePython python;
  python.call(python.add_code("a.py", "f", 1), 0);
  PythonReader reader;
  reader.start(FakePython::lookup);
  FakePython::thread_state = nullptr;
  EXPECT_TRUE(Stack(reader).frames.empty());
}

TEST(PythonReader, AnotherCodeObjectHasAnotherFingerprint) {
  FakePython python;
  Object& code = const_cast<Object&>(python.add_code("generated_1.py", "f", 1));
  python.call(code, 0);
  PythonReader reader;
  reader.start(FakePython::lookup);
  const uint64_t before = Stack(reader).frames[0].fingerprint;
  EXPECT_EQ(Stack(reader).frames[0].fingerprint, before);

  const char* file = load_pointer(code.data(), python.layout.code_file);
  const_cast<char*>(file)[python.layout.str_ascii_data + 10] =
      '2';  // generated_2.py at the same address
  const uint64_t other_file = Stack(reader).frames[0].fingerprint;
  EXPECT_NE(other_file, before);
  put<int32_t>(code, python.layout.code_first_line, 2);
  EXPECT_NE(Stack(reader).frames[0].fingerprint, other_file);
}

TEST(PythonReader, InterningAndHashingAStringIsNoChange) {
  FakePython python;
  Object& code =
      const_cast<Object&>(python.add_code("x", "f", 1));  // shorter than the word that is read
  python.call(code, 0);
  PythonReader reader;
  reader.start(FakePython::lookup);
  const uint64_t before = Stack(reader).frames[0].fingerprint;
  char* file = const_cast<char*>(load_pointer(code.data(), python.layout.code_file));
  std::memset(file + python.layout.str_ascii_data - 8, 0x5a, 8);
  char* lines = const_cast<char*>(load_pointer(code.data(), python.layout.code_lines));
  std::memset(lines + kBytesData - 8, 0x5a, 8);
  EXPECT_EQ(Stack(reader).frames[0].fingerprint, before);
}

// ---- against the last stack ----

// A program that calls and returns, and a stack that follows it.
struct FollowedProgram : ::testing::Test {
  FollowedProgram() { reader.start(FakePython::lookup); }

  void ret() {
    const char* frame = load_pointer(python.cframe.data(), python.layout.cframe_frame);
    put<const void*>(python.cframe, python.layout.cframe_frame,
                     load_pointer(frame, python.layout.frame_back));
  }
  // The frame's memory is used again, as the interpreter does with its stack of frames.
  void call_again(const char* frame, const Object& code, int lasti) {
    char* at = const_cast<char*>(frame);
    const void* back = load_pointer(python.cframe.data(), python.layout.cframe_frame);
    const void* instruction = code.data() + python.layout.code_units + lasti;
    const void* code_address = code.data();
    std::memcpy(at + python.layout.frame_code, &code_address, sizeof code_address);
    std::memcpy(at + python.layout.frame_instruction, &instruction, sizeof instruction);
    std::memcpy(at + python.layout.frame_back, &back, sizeof back);
    put<const void*>(python.cframe, python.layout.cframe_frame, at);
  }
  const char* innermost() { return load_pointer(python.cframe.data(), python.layout.cframe_frame); }

  // Updates the followed stack, and returns how many outermost frames it took over.
  int follow() {
    followed.update(reader);
    const Stack plain(reader, kMost);
    EXPECT_TRUE(followed.is(plain.frames.data(), int(plain.frames.size()), plain.truncated));
    return followed.same();
  }

  static constexpr int kMost = 8;
  FakePython python;
  PythonReader reader;
  RememberedStack<kMost> followed;
};

TEST_F(FollowedProgram, TakesOverAStackThatIsTheSame) {
  const Object& code = python.add_code("long_enough.py", "f", 1);
  for (int i = 0; i < 5; i++) python.call(code, i * 2);
  EXPECT_EQ(follow(), 0);
  EXPECT_EQ(follow(), 5);
}

TEST_F(FollowedProgram, TakesOverWhatIsOutsideACall) {
  const Object& code = python.add_code("long_enough.py", "f", 1);
  const Object& other = python.add_code("another_file.py", "g", 1);
  for (int i = 0; i < 4; i++) python.call(code, i * 2);
  follow();
  python.call(other, 0);
  EXPECT_EQ(follow(), 4);
  ret();
  ret();
  EXPECT_EQ(follow(), 3);
  python.call(other, 6);
  python.call(other, 8);
  EXPECT_EQ(follow(), 3);
}

TEST_F(FollowedProgram, SeesAnInstructionThatMovedUnderTheSameCalls) {
  const Object& outer = python.add_code("long_enough.py", "outer", 1);
  const Object& inner = python.add_code("long_enough.py", "inner", 9);
  python.call(outer, 2);
  const char* outer_frame = innermost();
  python.call(inner, 4);
  const char* inner_frame = innermost();
  EXPECT_EQ(follow(), 0);
  ret();
  ret();
  call_again(outer_frame, outer, 12);  // the next line, the same frames
  call_again(inner_frame, inner, 4);
  EXPECT_EQ(follow(), 0);
  EXPECT_EQ(follow(), 2);
}

TEST_F(FollowedProgram, SeesAnotherCodeObjectAtTheSameAddress) {
  Object& code = const_cast<Object&>(python.add_code("generated_1.py", "f", 1));
  python.call(code, 0);
  EXPECT_EQ(follow(), 0);
  EXPECT_EQ(follow(), 1);
  char* file = const_cast<char*>(load_pointer(code.data(), python.layout.code_file));
  file[python.layout.str_ascii_data + 10] = '2';
  EXPECT_EQ(follow(), 0);
  put<int32_t>(code, python.layout.code_first_line, 2);
  EXPECT_EQ(follow(), 0);
  put<const void*>(code, python.layout.code_lines,
                   python.keep(bytes_object("\xef\x02\xef\x02\xef\x02\xef\x02\xef\x02")).data());
  EXPECT_EQ(follow(), 0);
  EXPECT_EQ(follow(), 1);
}

TEST_F(FollowedProgram, SeesFramesThatMovedIntoAnotherCaller) {
  const Object& outer = python.add_code("long_enough.py", "outer", 1);
  const Object& inner = python.add_code("long_enough.py", "inner", 9);
  python.call(outer, 2);
  python.call(inner, 4);
  const char* generator = innermost();
  follow();
  ret();
  python.call(outer, 6);
  call_again(generator, inner, 4);  // a generator, resumed one level deeper
  EXPECT_EQ(follow(), 1);
}

TEST_F(FollowedProgram, FollowsDeepStacksAsFarAsItReads) {
  const Object& code = python.add_code("long_enough.py", "f", 1);
  for (int i = 0; i < 6; i++) python.call(code, i * 2);
  follow();
  for (int i = 0; i < 6; i++) python.call(code, i * 2);
  EXPECT_EQ(follow(), 0);
  follow();
  for (int i = 0; i < 6; i++) ret();
  follow();
  EXPECT_EQ(follow(), 6);
}

TEST(PythonReader, UnknownVersionsAreLeftAlone) {
  FakePython python;
  python.version = 0x031000f0;
  PythonReader reader;
  EXPECT_EQ(reader.start(FakePython::lookup), ReaderState::unknown_version);
  EXPECT_TRUE(Stack(reader).frames.empty());
}

TEST(PythonReader, FreeThreadedBuildsAreLeftAlone) {
  FakePython python;
  python.version = 0x030e00f0;
  FakePython::version_text = "3.14.0 free-threading build (main)";
  PythonReader reader;
  EXPECT_EQ(reader.start(FakePython::lookup), ReaderState::free_threaded);
}

TEST(PythonReader, ObjectsWithALongerHeadAreLeftAlone) {
  FakePython python;
  put<const void*>(python.code_type, kObjectType, nullptr);
  PythonReader reader;
  EXPECT_EQ(reader.start(FakePython::lookup), ReaderState::self_test_failed);
}

TEST(PythonReader, ASecondInterpreterTurnsItOff) {
  FakePython python;
  python.call(python.add_code("a.py", "f", 1), 0);
  PythonReader reader;
  reader.start(FakePython::lookup);
  EXPECT_EQ(reader.notice_interpreters(), ReaderState::on);
  FakePython::newest_interpreter = &python;
  EXPECT_EQ(reader.notice_interpreters(), ReaderState::subinterpreters);
  EXPECT_TRUE(Stack(reader).frames.empty());
}

TEST(PythonReader, AWrongSelfTestTurnsItOff) {
  FakePython python;
  python.call(python.add_code("boot.py", "probe", 1), 18);
  PythonReader reader;
  reader.start(FakePython::lookup);
  const Stack stack(reader);
  const ExpectedPythonFrame right[] = {{"boot.py", "probe", 3}};
  const ExpectedPythonFrame wrong[] = {{"boot.py", "probe", 4}};
  EXPECT_TRUE(reader.self_test(stack.frames.data(), 1, right, 1));
  EXPECT_EQ(reader.state(), ReaderState::on);
  EXPECT_FALSE(reader.self_test(stack.frames.data(), 1, wrong, 1));
  EXPECT_EQ(reader.state(), ReaderState::self_test_failed);
  EXPECT_TRUE(Stack(reader).frames.empty());
}

TEST(PythonReader, TooFewFramesFailTheSelfTest) {
  FakePython python;
  PythonReader reader;
  reader.start(FakePython::lookup);
  const ExpectedPythonFrame expected[] = {{"boot.py", "probe", 3}};
  EXPECT_FALSE(reader.self_test(nullptr, 0, expected, 1));
}

}  // namespace
}  // namespace tenure::inproc
