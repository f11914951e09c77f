// Which round a `for` is in: hand-laid value stacks. That real frames are read right is for tests/growth/test_loops.py.
#include "inproc/stacks/python_iterators.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <map>
#include <string>

namespace tenure::inproc {
namespace {

std::map<std::string, char> g_types;  // the address of the value stands for the type

void* find_type(const char* name) { return &g_types[name]; }

struct Object {
  explicit Object(const char* type, int64_t count = 0, size_t offset = 16) {
    words[1] = reinterpret_cast<uintptr_t>(find_type(type));
    words[offset / 8] = static_cast<uint64_t>(count);
  }
  uintptr_t on_stack() const { return reinterpret_cast<uintptr_t>(words.data()); }
  std::array<uint64_t, 8> words{};
};

struct ValueStack {
  std::array<uintptr_t, 32> slots{};
};

IteratorTypes types_of(int version) {
  IteratorTypes types;
  types.start(&find_type, version);
  return types;
}

TEST(PythonIterators, AListIteratorCountsFromZero) {
  Object iterator("PyListIter_Type", 7);
  ValueStack stack{{iterator.on_stack()}};
  IteratorPosition found{};
  ASSERT_TRUE(types_of(0x30b).find(&stack, 0, &found));
  EXPECT_EQ(found.iterator, iterator.words.data());
  EXPECT_EQ(found.position, 7);
  EXPECT_TRUE(found.counts_from_zero);
}

TEST(PythonIterators, ARangeCountsDownWhatIsLeftFrom312On) {
  Object before("PyRangeIter_Type", 5), after("PyRangeIter_Type", 5, 32);
  ValueStack stack{{before.on_stack()}}, newer{{after.on_stack()}};
  IteratorPosition found{};
  ASSERT_TRUE(types_of(0x307).find(&stack, 0, &found));
  EXPECT_EQ(found.position, 5);
  ASSERT_TRUE(types_of(0x30c).find(&newer, 0, &found));
  EXPECT_EQ(found.position, -5);
  EXPECT_FALSE(found.counts_from_zero);
}

TEST(PythonIterators, WhatWithAndComprehensionsLeaveBelowIsPassedOver) {
  Object method("PyMethod_Type"), outer("PyTupleIter_Type", 2), list("PyList_Type"),
      inner("PyEnum_Type", 9);
  ValueStack stack{{method.on_stack(), outer.on_stack(), 0, list.on_stack(), inner.on_stack()}};
  IteratorPosition found{};
  ASSERT_TRUE(types_of(0x30b).find(&stack, 0, &found));
  EXPECT_EQ(found.position, 2);
  ASSERT_TRUE(types_of(0x30b).find(&stack, 1, &found));
  EXPECT_EQ(found.position, 9);
}

TEST(PythonIterators, NothingIsSaidAboveSomethingUnknown) {
  Object unknown("Mystery_Type"), iterator("PyListIter_Type", 3);
  ValueStack stack{{unknown.on_stack(), iterator.on_stack()}};
  IteratorPosition found{};
  EXPECT_FALSE(types_of(0x30b).find(&stack, 1, &found));
}

TEST(PythonIterators, AGeneratorIsAnIteratorThatDoesNotTell) {
  Object generator("PyGen_Type"), iterator("PyListIter_Type", 3);
  ValueStack stack{{generator.on_stack(), iterator.on_stack()}};
  IteratorPosition found{};
  ASSERT_TRUE(types_of(0x30b).find(&stack, 0, &found));
  EXPECT_EQ(found.iterator, generator.words.data());
  EXPECT_FALSE(found.is_counted);
  ASSERT_TRUE(types_of(0x30b).find(&stack, 1, &found));
  EXPECT_EQ(found.position, 3);
  EXPECT_TRUE(found.is_counted);
}

TEST(PythonIterators, AnObjectOfTheUsersIsAnIteratorThatDoesNotTell) {
  Object reader("Reader");
  ValueStack stack{{reader.on_stack()}};
  IteratorPosition found{};
  ASSERT_TRUE(types_of(0x30b).find(&stack, 0, &found));
  EXPECT_EQ(found.iterator, reader.words.data());
  EXPECT_FALSE(found.is_counted);
}

TEST(PythonIterators, In315ASequenceAndATaggedNumberAreAnIterator) {
  Object list("PyList_Type");
  ValueStack stack{{list.on_stack() | 1, 4 << 2 | 3}};
  IteratorPosition found{};
  ASSERT_TRUE(types_of(0x30f).find(&stack, 0, &found));
  EXPECT_EQ(found.position, 4);
  EXPECT_TRUE(found.counts_from_zero);
}

TEST(PythonIterators, TheValueStackLiesBehindTheLocals) {
  std::array<uint64_t, 16> frame{}, code{};
  const PythonLayout* layout = python_layout(0x30b);
  const int32_t locals = 3;
  std::memcpy(reinterpret_cast<char*>(code.data()) + layout->code_locals, &locals, sizeof locals);
  EXPECT_EQ(value_stack(*layout, frame.data(), code.data()),
            reinterpret_cast<char*>(frame.data()) + layout->frame_stack + 3 * 8);
}

TEST(PythonIterators, UpTo310TheFramePointsToItsValueStack) {
  std::array<uint64_t, 16> frame{};
  uint64_t values[2] = {};
  const PythonLayout* layout = python_layout(0x308);
  frame[static_cast<size_t>(layout->frame_stack) / 8] = reinterpret_cast<uintptr_t>(values);
  EXPECT_EQ(value_stack(*layout, frame.data(), nullptr), values);
}

// Frames and what they lead to, by the offsets of a version.
struct Laid {
  explicit Laid(int version) : layout(*python_layout(version)) {}
  void set(std::array<uint64_t, 64>& object, int offset, uint64_t value) {
    std::memcpy(reinterpret_cast<char*>(object.data()) + offset, &value, sizeof value);
  }
  void share_dict() {
    set(frame, layout.frame_globals, reinterpret_cast<uintptr_t>(dict.data()));
    set(frame, layout.frame_locals, reinterpret_cast<uintptr_t>(dict.data()));
  }
  uint64_t mark() const { return variables_mark(layout, frame.data(), code.data()); }

  const PythonLayout& layout;
  std::array<uint64_t, 64> frame{}, code{}, dict{};
};

TEST(PythonVariables, AnAssignmentChangesTheMarkOfAFunction) {
  for (int version : {0x30b, 0x30e}) {
    Laid laid(version);
    laid.set(laid.code, laid.layout.code_locals, 3);
    uint64_t before = laid.mark();
    EXPECT_NE(before, 0u);
    laid.set(laid.frame, laid.layout.frame_stack + 2 * 8, 0x7000);
    EXPECT_NE(laid.mark(), before);
    uint64_t after = laid.mark();
    laid.set(laid.frame, laid.layout.frame_stack + 3 * 8, 0x7000);  // on the value stack
    EXPECT_EQ(laid.mark(), after);
  }
}

TEST(PythonVariables, UpTo310TheyLieBelowTheValueStack) {
  Laid laid(0x309);
  uintptr_t start = reinterpret_cast<uintptr_t>(laid.frame.data());
  laid.set(laid.frame, laid.layout.frame_stack, start + 50 * 8);
  uint64_t before = laid.mark();
  laid.frame[49] = 0x7000;
  EXPECT_NE(laid.mark(), before);
}

TEST(PythonVariables, AModuleIsKnownByTheNumberOfItsDict) {
  Laid laid(0x30d);
  laid.share_dict();
  laid.set(laid.dict, laid.layout.dict_version, 41);
  uint64_t before = laid.mark();
  EXPECT_NE(before, 0u);
  EXPECT_EQ(laid.mark(), before);
  laid.set(laid.dict, laid.layout.dict_version, 42);
  EXPECT_NE(laid.mark(), before);
}

TEST(PythonVariables, NothingIsSaidOfAModuleWhoseDictHasNone) {
  Laid laid(0x30e);
  laid.share_dict();
  EXPECT_EQ(laid.mark(), 0u);
}

TEST(PythonVariables, NothingIsSaidOfAFunctionWithoutVariables) {
  EXPECT_EQ(Laid(0x30b).mark(), 0u);
}

}  // namespace
}  // namespace tenure::inproc
