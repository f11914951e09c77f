// tests/unit/symbolize/tiny_program.h: small C++ programs compiled by the tests themselves, in a folder that goes away.
// For the tests of src/symbolize.
#pragma once
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "symbolize/symbolizer.h"

namespace tenure::symbolize {

inline std::string output_of(const std::string& command) {
  std::string text;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return text;
  char buffer[4096];
  while (size_t n = fread(buffer, 1, sizeof buffer, pipe)) text.append(buffer, n);
  pclose(pipe);
  return text;
}

inline bool has_tool(const std::string& name) {
  return std::system(("command -v " + name + " >/dev/null 2>&1").c_str()) == 0;
}

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = std::filesystem::temp_directory_path() / "tenure_symbolize_XXXXXX";
    if (mkdtemp(pattern.data()) != nullptr) path_ = pattern;
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

struct Function {
  std::string symbol;
  uint64_t start = 0, size = 0;
};

class TinyProgram {
 public:
  TinyProgram(const std::string& source, const std::string& flags,
              const std::string& compiler = "g++")
      : source_(source), source_path_(folder_.path() / "tiny.cpp"), path_(folder_.path() / "tiny") {
    std::ofstream(source_path_) << source;
    const std::string command =
        compiler + " -std=c++17 " + flags + " " + source_path_ + " -o " + path_ + " 2>&1";
    messages_ = output_of(command);
  }

  bool is_built() const { return std::filesystem::exists(path_); }
  const std::string& messages() const { return messages_; }
  const std::string& path() const { return path_; }
  const std::string& source_path() const { return source_path_; }
  std::filesystem::path folder() const { return folder_.path(); }
  Address at(uint64_t offset) const { return {path_, "", offset}; }

  // Functions with code, by the symbol table.
  std::vector<Function> functions() const {
    std::istringstream lines(output_of("nm -S --defined-only " + path_));
    std::vector<Function> found;
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      Function function;
      std::string type;
      words >> std::hex >> function.start >> function.size >> type >> function.symbol;
      if (type == "T" || type == "t" || type == "W") found.push_back(function);
    }
    return found;
  }

  // The one whose symbol contains `part`.
  Function function(const std::string& part) const {
    for (const Function& candidate : functions()) {
      if (candidate.symbol.find(part) != std::string::npos &&
          candidate.symbol.find(".cold") == std::string::npos)
        return candidate;
    }
    ADD_FAILURE() << "no function like " << part << "; compiler said: " << messages_;
    return {};
  }

  int line_count() const {
    return static_cast<int>(std::count(source_.begin(), source_.end(), '\n'));
  }

  // The line (from 1) that carries the mark "// <mark>".
  int line_of(const std::string& mark) const {
    std::istringstream lines(source_);
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
      ++number;
      if (line.ends_with("// " + mark)) return number;
    }
    ADD_FAILURE() << "no line marked " << mark;
    return 0;
  }

 private:
  TemporaryFolder folder_;
  std::string source_, source_path_, path_, messages_;
};

}  // namespace tenure::symbolize
