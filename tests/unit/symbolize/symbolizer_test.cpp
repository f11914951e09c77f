// tests/unit/symbolize/symbolizer_test.cpp: names and lines of small programs, checked against what is written in them and
// against addr2line (binutils).
#include "symbolize/symbolizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "symbolize/function_name.h"
#include "tiny_program.h"

namespace tenure::symbolize {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* kSource = R"(#include <cstdlib>
#include <functional>
#include <vector>
namespace app {
volatile long sink;
struct Cache {
  std::vector<long> values;
  void add(long x) { values.push_back(x); sink = sink + x; }
  template <class T> __attribute__((noinline)) long sum(T scale) const;
};
template <class T> long Cache::sum(T scale) const {
  long total = 0;
  for (long v : values) total += v * scale;
  return total;
}
namespace {
inline __attribute__((always_inline)) long innermost(long x) {
  sink = sink + x;  // innermost
  return x * 3;
}
inline __attribute__((always_inline)) long middle(long x) {
  return innermost(x) + sink;  // middle
}
__attribute__((noinline)) long outer(long x) {
  return middle(x) + 1;  // outer
}
}
__attribute__((noinline)) long apply(const std::function<long(long)>& f, long x) { return f(x) + 1; }
}
int main(int argc, char**) {
  app::Cache cache;
  for (int i = 0; i < argc + 10; ++i) cache.add(i);
  long r = app::outer(argc) + cache.sum(2) + app::apply([&](long x) { cache.add(x); return x; }, 3);
  std::vector<long> sorted = cache.values;
  std::qsort(sorted.data(), sorted.size(), sizeof(long), [](const void* a, const void* b) {
    return static_cast<int>(*static_cast<const long*>(a) - *static_cast<const long*>(b));
  });
  return static_cast<int>(r) & 1;
}
)";

struct Expected {
  std::string function, place;
};

// addr2line's view of many addresses: frames innermost first.
std::map<uint64_t, std::vector<Expected>> ask_addr2line(const TinyProgram& program,
                                                        const std::set<uint64_t>& addresses) {
  const std::string list = program.folder() / "addresses";
  std::ofstream file(list);
  for (const uint64_t address : addresses) file << std::hex << "0x" << address << "\n";
  file.close();
  std::istringstream lines(output_of("addr2line -a -i -f -C -e " + program.path() + " < " + list));
  std::map<uint64_t, std::vector<Expected>> answers;
  uint64_t address = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("0x")) {
      address = std::stoull(line, nullptr, 16);
      continue;
    }
    std::string place;
    std::getline(lines, place);
    answers[address].push_back({line, place.substr(0, place.find(" (disc"))});
  }
  return answers;
}

std::set<uint64_t> addresses_in(const TinyProgram& program) {
  std::set<uint64_t> addresses;
  for (const Function& function : program.functions()) {
    if (function.symbol[0] == '_' && !function.symbol.starts_with("_Z")) continue;  // start-up code
    for (uint64_t i = 0; i < function.size; i += 3) addresses.insert(function.start + i);
  }
  return addresses;
}

std::string place_of(const SourceFrame& frame) {
  const std::string line = frame.line == 0 ? "?" : std::to_string(frame.line);
  return std::filesystem::path(frame.file).lexically_normal().string() + ":" + line;
}

// Entities without a linker's name come from addr2line without their scope, or, if they are inlined, under the name of the
// function that contains them.
bool is_same_name(const std::vector<SourceFrame>& frames, size_t i, const std::string& full_name) {
  const std::string theirs = short_function_name(full_name);
  const std::string& ours = frames[i].function;
  const bool is_unscoped =
      ours.ends_with("::" + theirs) || (theirs == "operator()" && ours.ends_with("::{lambda}"));
  return ours == theirs || is_unscoped || (frames[i].inlined && theirs == frames.back().function);
}

// addr2line 2.40 sometimes takes the wrong file of a DWARF 5 table: then the line lies behind the end of our little source.
bool is_same_place(const SourceFrame& ours, const std::string& place, const TinyProgram& program) {
  const std::string theirs = std::filesystem::path(place).lexically_normal().string();
  const bool is_impossible =
      theirs.starts_with(program.source_path()) && ours.line > program.line_count();
  return is_impossible ? theirs.ends_with(":" + std::to_string(ours.line))
                       : place_of(ours) == theirs;
}

class SymbolizerAgainstAddr2line : public ::testing::TestWithParam<const char*> {};

TEST_P(SymbolizerAgainstAddr2line, GivesTheSameFramesEverywhere) {
  if (!has_tool("addr2line") || !has_tool("nm")) GTEST_SKIP() << "binutils are missing";
  const TinyProgram program(kSource, GetParam());
  ASSERT_TRUE(program.is_built()) << program.messages();
  Symbolizer symbolizer;
  const std::set<uint64_t> addresses = addresses_in(program);
  ASSERT_GT(addresses.size(), 50u);
  for (const auto& [address, expected] : ask_addr2line(program, addresses)) {
    SCOPED_TRACE(::testing::Message() << std::hex << address);
    const std::vector<SourceFrame> frames = symbolizer.frames(program.at(address));
    ASSERT_EQ(frames.size(), expected.size());
    for (size_t i = 0; i < frames.size(); ++i) {
      EXPECT_TRUE(is_same_name(frames, i, expected[i].function))
          << frames[i].function << " / " << expected[i].function;
      EXPECT_TRUE(is_same_place(frames[i], expected[i].place, program))
          << place_of(frames[i]) << " / " << expected[i].place;
      EXPECT_EQ(frames[i].inlined, i + 1 < frames.size());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Builds, SymbolizerAgainstAddr2line,
                         ::testing::Values("-g -O0", "-g -O1", "-g -O2", "-g -gdwarf-4 -O2",
                                           "-g -gdwarf-5 -O2 -no-pie"));

TEST(Symbolizer, PutsInlinedFunctionsBeforeTheirCallers) {
  const TinyProgram program(kSource, "-g -O2");
  const Function outer = program.function("outer");
  Symbolizer symbolizer;
  std::vector<SourceFrame> deepest;
  for (uint64_t i = 0; i < outer.size; ++i) {
    auto frames = symbolizer.frames(program.at(outer.start + i));
    if (frames.size() > deepest.size()) deepest = frames;
  }
  ASSERT_THAT(deepest, SizeIs(3));
  EXPECT_EQ(deepest[0].function, "app::innermost");
  EXPECT_EQ(deepest[0].line, program.line_of("innermost"));
  EXPECT_EQ(deepest[1].function, "app::middle");
  EXPECT_EQ(deepest[1].line, program.line_of("middle"));
  EXPECT_EQ(deepest[2].function, "app::outer");
  EXPECT_EQ(deepest[2].line, program.line_of("outer"));
  EXPECT_TRUE(deepest[0].inlined);
  EXPECT_TRUE(deepest[1].inlined);
  EXPECT_FALSE(deepest[2].inlined);
  EXPECT_EQ(symbolizer.function_name(program.at(outer.start + 1)), "app::outer");
  EXPECT_THAT(symbolizer.problems(), IsEmpty());
}

TEST(Symbolizer, GivesNamesOnlyWithoutDebugInformationAndSaysSo) {
  const TinyProgram program(kSource, "-O2");
  Symbolizer symbolizer;
  const auto frames = symbolizer.frames(program.at(program.function("sum").start + 1));
  ASSERT_THAT(frames, SizeIs(1));
  EXPECT_EQ(frames[0].function, "app::Cache::sum");
  EXPECT_EQ(frames[0].line, 0);
  ASSERT_THAT(symbolizer.problems(), SizeIs(1));
  EXPECT_THAT(symbolizer.problems()[0], HasSubstr("no debug information: function names only"));
}

TEST(Symbolizer, GivesNothingForCodeThatNoSymbolCovers) {
  const TinyProgram program(kSource, "-O2");
  const uint64_t hidden = program.function("outer").start;
  ASSERT_EQ(std::system(("strip " + program.path()).c_str()), 0);
  Symbolizer symbolizer;
  EXPECT_THAT(symbolizer.frames(program.at(hidden)), IsEmpty());
  EXPECT_EQ(symbolizer.function_name(program.at(hidden)), "");
  ASSERT_THAT(symbolizer.problems(), SizeIs(1));
  EXPECT_THAT(symbolizer.problems()[0], HasSubstr("exported names only"));
}

TEST(Symbolizer, RefusesAnotherBuildOfTheSameFile) {
  const TinyProgram program(kSource, "-g -O2 -Wl,--build-id");
  Symbolizer symbolizer;
  Address address = program.at(program.function("outer").start);
  address.build_id_hex = "0123456789abcdef";
  EXPECT_THAT(symbolizer.frames(address), IsEmpty());
  EXPECT_THAT(symbolizer.frames(address), IsEmpty());
  ASSERT_THAT(symbolizer.problems(), SizeIs(1)) << "told once, not per address";
  EXPECT_THAT(symbolizer.problems()[0], HasSubstr("build id differs"));
}

TEST(Symbolizer, TellsOfAMissingFileButNotOfTheVdso) {
  Symbolizer symbolizer;
  EXPECT_THAT(symbolizer.frames({"/nowhere/libgone.so", "", 0x1000}), IsEmpty());
  EXPECT_THAT(symbolizer.frames({"linux-vdso.so.1", "", 0x1000}), IsEmpty());
  EXPECT_THAT(symbolizer.frames({"", "", 0x1000}), IsEmpty());
  ASSERT_THAT(symbolizer.problems(), SizeIs(1));
  EXPECT_THAT(symbolizer.problems()[0], HasSubstr("/nowhere/libgone.so"));
}

TEST(Symbolizer, SurvivesFilesThatAreNoElf) {
  TemporaryFolder folder;
  const std::string path = folder.path() / "text";
  for (const char* content :
       {"", "hello", "\177ELF",
        "\177ELF\2\1\1\0garbage garbage garbage garbage garbage garbage garbage"}) {
    std::ofstream(path) << content;
    Symbolizer symbolizer;
    EXPECT_THAT(symbolizer.frames({path, "", 0x1000}), IsEmpty());
  }
}

class SymbolizerWithSeparateDebugFile : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_tool("objcopy")) GTEST_SKIP() << "binutils are missing";
    outer_ = program_.function("outer").start;
    ASSERT_EQ(run("objcopy --only-keep-debug " + program_.path() + " " + debug_path()), 0);
  }
  static int run(const std::string& command) { return std::system(command.c_str()); }
  std::string debug_path() const { return program_.folder() / "tiny.debug"; }
  void expect_lines(Symbolizer& symbolizer) {
    const auto frames = symbolizer.frames(program_.at(outer_ + 1));
    ASSERT_FALSE(frames.empty());
    EXPECT_EQ(frames.back().function, "app::outer");
    EXPECT_EQ(frames.back().file, program_.source_path());
  }
  TinyProgram program_{kSource, "-g -O2 -Wl,--build-id=0xabcdef0123456789"};
  uint64_t outer_ = 0;
};

TEST_F(SymbolizerWithSeparateDebugFile, FindsItByItsLink) {
  ASSERT_EQ(run("strip " + program_.path() + " && objcopy --add-gnu-debuglink=" + debug_path() +
                " " + program_.path()),
            0);
  Symbolizer symbolizer;
  expect_lines(symbolizer);
}

TEST_F(SymbolizerWithSeparateDebugFile, FindsItByBuildId) {
  const auto folder = program_.folder() / "root" / ".build-id" / "ab";
  std::filesystem::create_directories(folder);
  std::filesystem::rename(debug_path(), folder / "cdef0123456789.debug");
  ASSERT_EQ(run("strip " + program_.path()), 0);
  Symbolizer symbolizer(program_.folder() / "root");
  expect_lines(symbolizer);
}

TEST_F(SymbolizerWithSeparateDebugFile, RefusesThatOfAnotherBuild) {
  ASSERT_EQ(run("strip " + program_.path() + " && objcopy --add-gnu-debuglink=" + debug_path() +
                " " + program_.path()),
            0);
  const TinyProgram other(kSource, "-g -O1 -Wl,--build-id");
  ASSERT_EQ(run("cp " + other.path() + " " + debug_path()), 0);
  Symbolizer symbolizer;
  EXPECT_THAT(symbolizer.frames(program_.at(outer_ + 1)), IsEmpty());
}

}  // namespace
}  // namespace tenure::symbolize
