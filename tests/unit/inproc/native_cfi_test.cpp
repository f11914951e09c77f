// tests/unit/inproc/native_cfi_test.cpp: every row of the unwind tables of libc, libstdc++ and this program, as readelf
// (binutils) interprets them, must come out of ours.
#include "inproc/stacks/cfi.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "inproc/os/elf_symbols.h"

namespace tenure::inproc {
namespace {

// One row of readelf's table; cells hold "rsp+16", "c-8", "exp", "u" ("s" in newer versions).
struct ExpectedRow {
  uintptr_t address, end;
  std::string cfa, rbp, return_address;
  bool is_signal_frame;
};

class FrameListing {
 public:
  explicit FrameListing(const std::string& path) {
    FILE* pipe =
        popen(("readelf --debug-dump=frames-interp '" + path + "' 2>/dev/null").c_str(), "r");
    if (pipe == nullptr) return;
    char line[1024];
    while (fgets(line, sizeof line, pipe) != nullptr) read_line(line);
    pclose(pipe);
  }

  std::vector<ExpectedRow> rows;

 private:
  void read_line(const std::string& line) {
    if (line.find(" CIE ") != std::string::npos) {
      if (line.find('S') != std::string::npos) signal_cies_ += line.substr(0, 8) + " ";
      end_ = 0;
    } else if (const auto at = line.find(" FDE cie="); at != std::string::npos) {
      is_signal_frame_ = signal_cies_.find(line.substr(at + 9, 8)) != std::string::npos;
      end_ = std::stoull(line.substr(line.find("..") + 2), nullptr, 16);
    } else if (line.find("LOC") != std::string::npos) {
      columns_ = words_of(line);
    } else if (end_ != 0 && line.size() > 17 && line[16] == ' ' && std::isxdigit(line[0]) != 0) {
      read_row(words_of(line));
    }
  }

  void read_row(const std::vector<std::string>& cells) {
    if (cells.size() != columns_.size()) return;
    ExpectedRow row = {
        std::stoull(cells[0], nullptr, 16), end_, cells[1], "u", "u", is_signal_frame_};
    for (size_t i = 2; i < cells.size(); ++i) {
      if (columns_[i] == "rbp") row.rbp = cells[i];
      if (columns_[i] == "ra") row.return_address = cells[i];
    }
    if (!rows.empty() && rows.back().end == row.end && rows.back().address < row.address)
      rows.back().end = row.address;
    rows.push_back(row);
  }

  static std::vector<std::string> words_of(const std::string& line) {
    std::istringstream stream(line);
    std::vector<std::string> words;
    for (std::string word; stream >> word;) {
      if (word[0] != '(') words.push_back(word);  // "r5 (rdi)" is one cell
    }
    return words;
  }

  std::vector<std::string> columns_;
  std::string signal_cies_;
  uintptr_t end_ = 0;
  bool is_signal_frame_ = false;
};

std::string text_of_cfa(const CfiRow& row) {
  switch (row.cfa) {
    case CfaRule::kStackPointer:
      return "rsp+" + std::to_string(row.cfa_offset);
    case CfaRule::kFramePointer:
      return "rbp+" + std::to_string(row.cfa_offset);
    case CfaRule::kAtStackPointer:
    case CfaRule::kAtFramePointer:
      return "exp";
    case CfaRule::kOutermost:
      return "outermost";
    case CfaRule::kUnsupported:
      return "unsupported";
  }
  return "";
}

std::string text_of_rbp(const CfiRow& row) {
  switch (row.frame_pointer) {
    case FramePointerRule::kUnchanged:
      return "u";
    case FramePointerRule::kAtCfa:
      return "c" + std::to_string(row.frame_pointer_offset);
    case FramePointerRule::kAtFramePointer:
      return "exp";
    case FramePointerRule::kLost:
      return "lost";
  }
  return "";
}

bool is_followed(const ExpectedRow& row) {
  const bool has_base = row.cfa.starts_with("rsp+") || row.cfa.starts_with("rbp+");
  return !row.is_signal_frame && has_base && row.return_address == "c-8";
}

// Returns how many rows were compared.
int compare_all(const char* path, uintptr_t base) {
  int compared = 0;
  for (const ExpectedRow& expected : FrameListing(path).rows) {
    CfiRow row;
    uintptr_t function = 0;
    if (!is_followed(expected) || !find_cfi_row(base + expected.address, &row, &function)) continue;
    EXPECT_EQ(text_of_cfa(row), expected.cfa) << path << " " << std::hex << expected.address;
    const std::string rbp = expected.rbp == "s" ? "u" : expected.rbp;
    EXPECT_EQ(text_of_rbp(row), rbp) << path << " " << std::hex << expected.address;
    CfiRow at_end;
    EXPECT_TRUE(find_cfi_row(base + expected.end - 1, &at_end, &function));
    EXPECT_EQ(text_of_cfa(at_end), expected.cfa) << path << " " << std::hex << expected.end - 1;
    ++compared;
  }
  return compared;
}

void expect_same_rows(const void* address_in_object, const char* path, int at_least) {
#if defined(__x86_64__)
  if (std::system("readelf --version >/dev/null 2>&1") != 0)
    GTEST_SKIP() << "readelf (binutils) is missing";
  ObjectInfo object{};
  ASSERT_TRUE(object_of(reinterpret_cast<uintptr_t>(address_in_object), &object));
  EXPECT_GT(compare_all(path != nullptr ? path : object.path, object.base), at_least);
#else
  (void)address_in_object, (void)path, (void)at_least;
  GTEST_SKIP() << "unwind rows are read on x86-64 only";
#endif
}

TEST(NativeCfi, ReadsEveryRowOfLibcAsReadelfDoes) {
  expect_same_rows(dlsym(RTLD_DEFAULT, "qsort"), nullptr, 5000);
}

TEST(NativeCfi, ReadsEveryRowOfLibstdcxxAsReadelfDoes) {
  expect_same_rows(dlsym(RTLD_DEFAULT, "_ZNSt6thread4joinEv"), nullptr, 5000);
}

std::string own_path() {
  char path[4096] = {};
  return readlink("/proc/self/exe", path, sizeof path - 1) > 0 ? path : "";
}

TEST(NativeCfi, ReadsEveryRowOfThisProgramAsReadelfDoes) {
  expect_same_rows(reinterpret_cast<void*>(&expect_same_rows), own_path().c_str(), 100);
}

}  // namespace
}  // namespace tenure::inproc
