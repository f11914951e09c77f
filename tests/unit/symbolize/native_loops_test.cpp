// tests/unit/symbolize/native_loops_test.cpp: every kind of loop, compiled at every level, must be named by its own line.
#include "symbolize/native_loops.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <memory>

#include "tiny_program.h"

namespace tenure::symbolize {
namespace {

using ::testing::AnyOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;

constexpr const char* kSource = R"(#include <vector>
#include <string>
#include <cstdlib>
__attribute__((noinline)) void* work(long n) { void* p = malloc(n); return p; }
std::vector<void*> kept;
__attribute__((noinline)) void simple_for(int n) {
  int before = n * 3;
  for (int i = 0; i < n; ++i) {  // simple_for
    kept.push_back(work(i + before));
  }
}
__attribute__((noinline)) void simple_while(int n) {
  int i = 0;
  while (i < n) {  // simple_while
    kept.push_back(work(i));
    ++i;
  }
}
__attribute__((noinline)) void do_while(int n) {
  int i = 0;
  do {  // do_while
    kept.push_back(work(i));
    ++i;
  } while (i < n);  // do_while_end
}
__attribute__((noinline)) long range_for(const std::vector<int>& v) {
  long s = 0;
  for (int x : v) {  // range_for
    s += x;
    kept.push_back(work(x));
  }
  return s;
}
__attribute__((noinline)) void nested(int n, int m) {
  for (int i = 0; i < n; ++i) {  // outer
    void* a = work(i);
    for (int j = 0; j < m; ++j) {  // inner
      kept.push_back(work(j));
    }
    kept.push_back(a);
  }
}
__attribute__((noinline)) void with_continue(int n) {
  for (int i = 0; i < n; ++i) {  // with_continue
    if (i % 3 == 0) continue;
    if (i % 7 == 5) {
      kept.push_back(work(1));
      continue;
    }
    kept.push_back(work(i));
  }
}
__attribute__((noinline)) void forever(int n) {
  int i = 0;
  while (true) {  // forever
    kept.push_back(work(i));
    if (++i > n) break;
    work(3);
  }
}
__attribute__((noinline)) void with_switch(int n) {
  for (int i = 0; i < n; ++i) {  // with_switch
    switch (i % 8) {
      case 0: work(1); break;
      case 1: kept.push_back(work(2)); break;
      case 2: work(3); work(4); break;
      case 3: work(5); break;
      case 4: kept.clear(); break;
      case 5: work(i); break;
      default: work(9);
    }
  }
}
__attribute__((noinline)) void with_catch(int n) {
  for (int i = 0; i < n; ++i) {  // with_catch
    try {
      std::string s(i, 'x');
      kept.push_back(work(s.size()));
    } catch (...) {
      work(1);
    }
  }
}
__attribute__((noinline)) void multi_line_for(int n) {
  for (int i = 0;  // multi_line_for
       i < n;
       ++i) {
    kept.push_back(work(i));
  }
}
__attribute__((noinline)) int no_loop(int n) {
  if (__builtin_expect(n > 100, 0)) {
    work(n);
    work(n + 1);
  }
  work(3);
  return n;
}
int main(int c, char**) {
  simple_for(c); simple_while(c); do_while(c); range_for({1,2,3}); nested(c, c); with_continue(c); forever(c); with_switch(c); with_catch(c); multi_line_for(c); no_loop(c);
}
static inline void fill(int n) {
  for (int i = 0; i < n; ++i) {  // inlined_inner
    kept.push_back(work(i));
  }
}
__attribute__((noinline)) void calls_inlined(int n) {
  for (int k = 0; k < n; ++k) {  // inlined_outer
    fill(k);
  }
}
__attribute__((noinline)) void one_line(int n) { for (int i = 0; i < n; ++i) kept.push_back(work(i)); }  // one_line
__attribute__((noinline)) std::vector<long> library_loop(int n) {
  std::vector<long> v(n, 3);  // library_loop
  return v;
}
__attribute__((noinline)) void serve(int n) {
  for (;;) {  // serve_outer
    for (int j = 0; j < n; ++j) {  // serve_inner
      kept.push_back(work(j));
    }
    if (kept.size() > 1000) return;
  }
}
static inline bool has_more(int& i, int n) {
  ++i;
  return i < n;
}
__attribute__((noinline)) void test_inlined(int n) {
  int i = 0;
  while (has_more(i, n)) {  // test_inlined
    kept.push_back(work(i));
  }
}
)";

struct Build {
  const char* compiler;
  const char* level;
};

void PrintTo(const Build& build, std::ostream* out) {
  *out << build.compiler << " " << build.level;
}

// Compiled once per build, not once per test.
const TinyProgram& program_of(const Build& build) {
  static std::map<std::string, std::unique_ptr<TinyProgram>> programs;
  auto& program = programs[std::string(build.compiler) + build.level];
  if (program == nullptr) {
    program =
        std::make_unique<TinyProgram>(kSource, std::string("-g ") + build.level, build.compiler);
  }
  return *program;
}

class NativeLoops : public ::testing::TestWithParam<Build> {
 protected:
  void SetUp() override {
#if !defined(__x86_64__)
    GTEST_SKIP() << "loops are found in x86-64 code only";
#endif
    if (!has_tool("nm")) GTEST_SKIP() << "binutils are missing";
    if (!has_tool(GetParam().compiler)) GTEST_SKIP() << GetParam().compiler << " is missing";
    ASSERT_TRUE(program().is_built()) << program().messages();
  }
  static const TinyProgram& program() { return program_of(GetParam()); }
  std::vector<NativeLoop> loops(const std::string& function) {
    return loops_of(symbolizer_, program().at(program().function(function).start + 1));
  }
  std::vector<int> lines(const std::string& function) {
    std::vector<int> found;
    for (const NativeLoop& loop : loops(function)) found.push_back(loop.line);
    return found;
  }
  static int line(const char* mark) { return program().line_of(mark); }
  Symbolizer symbolizer_;
};

TEST_P(NativeLoops, NameForAndWhileByTheirKeyword) {
  for (const char* name :
       {"simple_for", "simple_while", "range_for", "with_continue", "multi_line_for"}) {
    EXPECT_THAT(lines(name), ElementsAre(line(name))) << name;
  }
}

TEST_P(NativeLoops, NameDoWhileByEitherEnd) {
  EXPECT_THAT(lines("do_while"), ElementsAre(AnyOf(line("do_while"), line("do_while_end"))));
}

TEST_P(NativeLoops, NameEndlessLoopsThoughNoCodeHasTheirLine) {
  EXPECT_THAT(lines("forever"), ElementsAre(line("forever")));
}

TEST_P(NativeLoops, TellOuterFromInner) {
  const auto found = loops("nested");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].line, line("outer"));
  EXPECT_EQ(found[1].line, line("inner"));
  EXPECT_EQ(found[0].depth, 0);
  EXPECT_EQ(found[1].depth, 1);
  EXPECT_TRUE(found[0].contains(found[1].start));
  EXPECT_FALSE(found[1].contains(found[0].start));
}

TEST_P(NativeLoops, TellAnEndlessOuterLoopFromTheInnerOneItBeginsWith) {
  EXPECT_THAT(lines("serve"), IsSupersetOf({line("serve_outer"), line("serve_inner")}));
}

TEST_P(NativeLoops, FollowSwitchesAndHandlers) {
  EXPECT_THAT(lines("with_switch"), ElementsAre(line("with_switch")));
  EXPECT_THAT(lines("with_catch"), ElementsAre(line("with_catch")));
}

TEST_P(NativeLoops, NameLoopsOnTheLineOfTheirFunction) {
  EXPECT_THAT(lines("one_line"), ElementsAre(line("one_line")));
}

TEST_P(NativeLoops, NameLoopsOfInlinedFunctionsWhereTheyAreWritten) {
  const auto found = loops("calls_inlined");
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].line, line("inlined_outer"));
  if (std::string(GetParam().level) == "-O0") return;
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[1].line, line("inlined_inner"));
  EXPECT_EQ(found[1].function, "fill");
}

TEST_P(NativeLoops, AreNotNamedByTheTestTheyCall) {
  EXPECT_THAT(lines("test_inlined"), ElementsAre(line("test_inlined")));
}

TEST_P(NativeLoops, NameLoopsOfLibraryCodeByTheLineThatCallsIt) {
  EXPECT_THAT(lines("library_loop"), Each(line("library_loop")));
}

TEST_P(NativeLoops, AreNotInventedWhereUnlikelyCodeJumpsBack) {
  EXPECT_THAT(lines("no_loop"), IsEmpty());
}

TEST_P(NativeLoops, ContainTheCallsOfTheirBodies) {
  const Function function = program().function("simple_for");
  const auto found = loops("simple_for");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].function, "simple_for");
  EXPECT_EQ(found[0].file, program().source_path());
  EXPECT_GE(found[0].start, function.start);
  EXPECT_LE(found[0].end, function.start + function.size);
  EXPECT_FALSE(found[0].contains(function.start));
  int lines_inside = 0;
  for (uint64_t at = found[0].start; at < found[0].end; ++at) {
    const auto frames = symbolizer_.frames(program().at(at));
    const bool is_body = !frames.empty() && frames.back().line == line("simple_for") + 1;
    if (is_body && found[0].contains(at)) ++lines_inside;
  }
  EXPECT_GT(lines_inside, 4);
}

INSTANTIATE_TEST_SUITE_P(Builds, NativeLoops,
                         ::testing::Values(Build{"g++", "-O0"}, Build{"g++", "-O1"},
                                           Build{"g++", "-O2"}, Build{"g++", "-O3"},
                                           Build{"clang++-19", "-O0"}, Build{"clang++-19", "-O2"}));

// The text may have changed since: then the debug information alone has to do.
class NativeLoopsWithoutText : public NativeLoops {};

TEST_P(NativeLoopsWithoutText, AreStillNamedByTheirTest) {
  const TinyProgram changed(kSource, std::string("-g ") + GetParam().level);
  const auto later = std::filesystem::last_write_time(changed.path()) + std::chrono::hours(1);
  std::filesystem::last_write_time(changed.source_path(), later);
  for (const char* name :
       {"simple_for", "simple_while", "range_for", "with_continue", "with_switch"}) {
    const auto found = loops_of(symbolizer_, changed.at(changed.function(name).start + 1));
    ASSERT_EQ(found.size(), 1u) << name;
    EXPECT_EQ(found[0].line, line(name)) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Builds, NativeLoopsWithoutText,
                         ::testing::Values(Build{"g++", "-O0"}, Build{"g++", "-O1"},
                                           Build{"g++", "-O2"}));

TEST(NativeLoopsOfStrippedCode, HavePlacesButNoLines) {
#if !defined(__x86_64__)
  GTEST_SKIP() << "loops are found in x86-64 code only";
#endif
  const TinyProgram program(kSource, "-O2");
  const uint64_t start = program.function("nested").start;
  ASSERT_EQ(std::system(("strip " + program.path()).c_str()), 0);
  Symbolizer symbolizer;
  const auto loops = loops_of(symbolizer, program.at(start + 1));
  ASSERT_EQ(loops.size(), 2u);
  EXPECT_EQ(loops[0].line, 0);
  EXPECT_EQ(loops[0].file, "");
  EXPECT_TRUE(loops[0].contains(loops[1].start));
}

TEST(NativeLoopsOfNothing, AreNone) {
  Symbolizer symbolizer;
  EXPECT_THAT(loops_of(symbolizer, {"/nowhere/libgone.so", "", 0x1000}), IsEmpty());
  EXPECT_THAT(loops_of(symbolizer, program_of({"g++", "-O2"}).at(0xffffff)), IsEmpty());
}

}  // namespace
}  // namespace tenure::symbolize
