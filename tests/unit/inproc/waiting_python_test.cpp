// tests/unit/inproc/waiting_python_test.cpp: the stack of another thread, on an interpreter made of bytes. Real threads of
// real interpreters are in tests/growth/test_library_threads.py.
#include "inproc/stacks/waiting_python.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>
#include <latch>
#include <thread>

#include "fake_python.h"

namespace tenure::inproc {
namespace {

class WaitingPythonTest : public testing::Test {
 protected:
  void SetUp() override {
    g_python_threads.clear();
    python.call(python.add_code("/src/train.py", "train", 10), 18);
    python.call(python.add_code("/src/loss.py", "loss", 50), 0);
    ASSERT_EQ(reader.start(FakePython::lookup), ReaderState::on);
    waiting.start(&reader);
    g_python_threads.add(python.thread.data());
  }
  void TearDown() override { g_python_threads.clear(); }

  FakePython python;
  PythonReader reader;
  WaitingPython waiting;
  CodeCopy room;
};

TEST_F(WaitingPythonTest, ReadsTheFramesFromTheInnermostOut) {
  const void* thread = waiting.the_one(&room);
  ASSERT_EQ(thread, python.thread.data());
  ForeignFrame frame;
  ASSERT_TRUE(waiting.innermost(thread, &frame));
  EXPECT_EQ(frame.lasti, 0);
  ASSERT_TRUE(waiting.outside(frame, &frame));
  EXPECT_EQ(frame.lasti, 18);
  ASSERT_TRUE(waiting.copy_code(frame, &room));
  char text[64];
  reader.copy_file_name(room.head, text, sizeof text);
  EXPECT_STREQ(text, "/src/train.py");
  reader.copy_function_name(room.head, text, sizeof text);
  EXPECT_STREQ(text, "Outer.train");
  EXPECT_EQ(reader.line(room.head, frame.lasti), 12);
  EXPECT_FALSE(waiting.outside(frame, &frame));
}

TEST_F(WaitingPythonTest, AThreadThatRunsDoesNotWait) {
  FakePython::running = python.thread.data();
  EXPECT_EQ(waiting.the_one(&room), nullptr);
}

TEST_F(WaitingPythonTest, OfTwoThatWaitNobodyCanSayWhoItIs) {
  std::thread([&] { g_python_threads.add(python.thread.data()); }).join();
  EXPECT_EQ(waiting.the_one(&room), nullptr);
}

TEST_F(WaitingPythonTest, AThreadThatWaitsForALockOfPythonWaitsForNoLibrary) {
  python.call(python.add_code("/usr/lib/python3.11/threading.py", "wait", 300), 0);
  EXPECT_EQ(waiting.the_one(&room), python.thread.data());  // alone it may wait for anything
  std::thread([&] { g_python_threads.add(python.thread.data()); }).join();
  EXPECT_EQ(waiting.the_one(&room), nullptr);
}

TEST_F(WaitingPythonTest, AThreadThatEndedIsGone) {
  g_python_threads.remove();
  EXPECT_EQ(waiting.the_one(&room), nullptr);
}

TEST_F(WaitingPythonTest, WithMoreThreadsThanAreLookedAtNobodyIsTold) {
  std::latch added(PythonThreads::kMost), looked(1);
  std::vector<std::jthread> threads;
  for (int i = 0; i < PythonThreads::kMost; ++i)
    threads.emplace_back([&] {
      g_python_threads.add(python.thread.data());
      added.count_down();
      looked.wait();
    });
  added.wait();
  const void* states[PythonThreads::kMost];
  EXPECT_EQ(g_python_threads.list(states), PythonThreads::kMost + 1);
  EXPECT_EQ(waiting.the_one(&room), nullptr);
  looked.count_down();
}

TEST_F(WaitingPythonTest, FramesThatLeadNowhereEndTheStack) {
  void* gone = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  put<const void*>(python.cframe, python.layout.cframe_frame, gone);
  ForeignFrame frame;
  EXPECT_FALSE(waiting.innermost(python.thread.data(), &frame));
  frame = {0, reinterpret_cast<uintptr_t>(gone), 0, 0, true};
  EXPECT_FALSE(waiting.copy_code(frame, &room));
  EXPECT_EQ(waiting.variables_mark({reinterpret_cast<uintptr_t>(gone), 0, 0, 0, true}), 0u);
  munmap(gone, 4096);
}

TEST_F(WaitingPythonTest, WhatIsNoCodeObjectIsNotRead) {
  ForeignFrame frame{0, reinterpret_cast<uintptr_t>(python.thread.data()), 0, 0, true};
  EXPECT_FALSE(waiting.copy_code(frame, &room));
}

TEST_F(WaitingPythonTest, AVariableThatChangesIsSeen) {
  ForeignFrame frame;
  ASSERT_TRUE(waiting.innermost(python.thread.data(), &frame));
  auto* code = reinterpret_cast<char*>(frame.code);
  int32_t count = 1;
  std::memcpy(code + python.layout.code_locals, &count, sizeof count);
  uint64_t before = waiting.variables_mark(frame);
  EXPECT_NE(before, 0u);
  EXPECT_EQ(waiting.variables_mark(frame), before);
  *reinterpret_cast<uintptr_t*>(frame.frame + size_t(python.layout.frame_stack)) = 42;
  EXPECT_NE(waiting.variables_mark(frame), before);
}

}  // namespace
}  // namespace tenure::inproc
