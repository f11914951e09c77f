// tests/unit/bytecode/compiled.h: Python sources as the program of a snapshot, compiled by the real interpreters.
// World: unit tests. An interpreter is started once per version and asked line by line; one that is not installed skips.
#pragma once
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "../retention/snapshot_builder.h"
#include "bytecode/program.h"

namespace tenure::bytecode {

inline std::string output_of(const std::string& command) {
  std::string text;
  FILE* pipe = popen(command.c_str(), "r");
  std::array<char, 4096> part;
  while (pipe && fgets(part.data(), part.size(), pipe)) text += part.data();
  if (pipe) pclose(pipe);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

// Its path; empty: there is none. To look for it takes seconds where it is behind a shim, so the answer is kept beside the
// test binary.
inline std::string find_interpreter(const std::string& version) {
  const auto kept =
      std::filesystem::read_symlink("/proc/self/exe").parent_path() / ("found-python" + version);
  std::string path;
  std::getline(std::ifstream(kept), path);
  if (access(path.c_str(), X_OK) == 0) return path;
  const std::string tool = std::string(TEST_SOURCE_DIR) + "/../tools/find_python.py";
  path = output_of("python3 " + tool + " " + version + " 2>/dev/null");
  std::ofstream(kept) << path << "\n";
  return path;
}

// One interpreter that compiles what it is given.
class Compiler {
 public:
  explicit Compiler(const std::string& version) {
    const std::string python = find_interpreter(version);
    if (python.empty()) return;
    int to[2], from[2];
    if (pipe(to) != 0 || pipe(from) != 0) return;
    if (fork() == 0) {
      dup2(to[0], 0);
      dup2(from[1], 1);
      for (int fd : {to[0], to[1], from[0], from[1]}) close(fd);
      const std::string script = std::string(TEST_SOURCE_DIR) + "/unit/bytecode/dump_code.py";
      execl(python.c_str(), python.c_str(), "-E", "-S", script.c_str(), nullptr);
      _exit(127);
    }
    close(to[0]);
    close(from[1]);
    in_ = fdopen(to[1], "w");
    out_ = fdopen(from[0], "r");
  }
  bool is_there() const { return in_ && out_; }

  nlohmann::json ask(const nlohmann::json& question) {
    fprintf(in_, "%s\n", question.dump().c_str());
    fflush(in_);
    std::string line;
    for (int c; (c = fgetc(out_)) != EOF && c != '\n';) line += static_cast<char>(c);
    return nlohmann::json::parse(line, nullptr, false);
  }

 private:
  FILE *in_ = nullptr, *out_ = nullptr;
};

inline Compiler& compiler_of(const std::string& version) {
  static std::map<std::string, std::unique_ptr<Compiler>> compilers;
  auto& compiler = compilers[version];
  if (!compiler) compiler = std::make_unique<Compiler>(version);
  return *compiler;
}

inline std::vector<uint8_t> bytes_of_hex(const std::string& hex) {
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes.push_back(static_cast<uint8_t>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  return bytes;
}

inline analyze::BuiltCode built_code(const nlohmann::json& from) {
  analyze::BuiltCode code;
  code.file = from["file"];
  code.name = from["name"];
  code.head.first_line = from["first_line"];
  code.head.co_flags = from["flags"];
  code.head.arguments = from["arguments"];
  code.head.keyword_only_arguments = from["keyword_only"];
  code.head.flags = from["is_qualified"] ? ledger::kCodeNameIsQualified : 0;
  code.instructions = bytes_of_hex(from["instructions"]);
  code.lines = bytes_of_hex(from["lines"]);
  code.names = from["names"].get<std::vector<std::string>>();
  for (const auto& v : from["variables"]) code.variables.push_back({v[0], v[1]});
  for (const auto& c : from["constants"])
    code.constants.push_back({static_cast<ledger::CodeConstant>(c[0].get<uint32_t>()), c[1], c[2]});
  return code;
}

// The snapshot of a program that consists of these files, and what its code does.
class Compiled {
 public:
  using Files = std::vector<std::pair<std::string, std::string>>;  // name, source

  Compiled(const std::string& version, const Files& files) {
    answer_ = compiler_of(version).ask({{"files", files}});
    if (!answer_.is_object()) {
      ADD_FAILURE() << "does not compile: " << files[0].second;
      return;
    }
    analyze::SnapshotBuilder builder;
    builder.set_python(answer_["python"]);
    for (const auto& code : answer_["codes"]) builder.code(built_code(code));
    snapshots_.push_back(builder.snapshot());
    program_ = Program(snapshots_);
  }
  const Program& program() const { return program_; }

 private:
  nlohmann::json answer_;
  std::vector<ledger::Snapshot> snapshots_;
  Program program_;
};

// A test that is done for each version of CPython.
class OnEachPython : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!compiler_of(GetParam()).is_there()) GTEST_SKIP() << "no CPython " << GetParam();
  }
  Compiled compile(const std::string& source) const {
    return Compiled(GetParam(), {{"train.py", source}});
  }
};

inline const auto kAllPythons =
    testing::Values("3.7", "3.8", "3.9", "3.10", "3.11", "3.12", "3.13", "3.14", "3.15");
inline std::string name_of_python(const testing::TestParamInfo<const char*>& info) {
  std::string name = std::string("Python") + info.param;
  for (char& c : name) c = c == '.' ? '_' : c;
  return name;
}

}  // namespace tenure::bytecode
