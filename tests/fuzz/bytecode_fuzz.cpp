// tests/fuzz/bytecode_fuzz.cpp: any bytes as the instructions and line table of a code object of any version: its facts are
// read and asked for a name.
// World: fuzzing.
#include "analyze/heap/reading_line.h"
#include "analyze/heap/storing_line.h"

namespace {

using namespace tenure;

constexpr int kOldest = 0x307, kVersions = 9;

bytecode::Code code_of(const uint8_t* data, size_t size) {
  bytecode::Code code;
  code.version = kOldest + data[0] % kVersions;
  code.file = "train.py";
  code.name = data[1] & 1 ? "main" : "<module>";
  code.flags = data[1] & 1;
  code.arguments = data[1] >> 4;
  std::span<const uint8_t> rest(data + 3, size - 3);
  size_t instructions = std::min<size_t>(rest.size(), rest.size() * data[2] / 255);
  code.instructions = rest.first(instructions);
  code.lines = rest.subspan(instructions);
  code.names = {"losses", "append", "len", "setdefault"};
  code.variables = {
      {"losses", true, false, false}, {"self", true, true, false}, {"log", false, false, true}};
  code.constants.resize(4);
  code.constants[1].texts = {"log", "x"};
  code.constants[2].text = "key";
  return code;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 3) return 0;
  std::vector<bytecode::Code> codes;
  codes.push_back(code_of(data, size));
  bytecode::Program program(std::move(codes));
  for (const char* owner : {"", "main"}) {
    analyze::KeptName name{analyze::KeptName::Kind::variable, "losses", owner, "key"};
    analyze::find_storing_line(program, name);
    analyze::reading_line(program.functions()[0], name);
  }
  bytecode::makes_from_old_value(program, "train.py", 1);
  bytecode::is_carried_round(program, "train.py", 1);
  return 0;
}
