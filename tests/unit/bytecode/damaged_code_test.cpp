// Damaged instructions give fewer facts, never a crash: real code of each version with bytes changed at random.
#include <random>

#include "analyze/heap/storing_line.h"
#include "bytecode/instructions.h"
#include "compiled.h"

namespace tenure::bytecode {
namespace {

class DamagedCodeTest : public OnEachPython {};
INSTANTIATE_TEST_SUITE_P(Code, DamagedCodeTest, kAllPythons, name_of_python);

const char* const kSource =
    "def main(x, log):\n"
    "    losses = []\n"
    "    for i, y in enumerate(x):\n"
    "        try:\n"
    "            losses.append(f(*y, k=log, **{'a': losses}))\n"
    "        except ValueError as e:\n"
    "            losses += [e for e in x if e] or log\n"
    "    return lambda: losses\n";

TEST_P(DamagedCodeTest, IsReadAsFarAsItGoes) {
  Compiled compiled = compile(kSource);
  std::mt19937 dice(1);
  for (int round = 0; round < 3000; ++round) {
    std::vector<Code> codes;
    std::vector<std::vector<uint8_t>> damaged;
    for (const Function& function : compiled.program().functions()) {
      damaged.emplace_back(function.code.instructions.begin(), function.code.instructions.end());
      for (int change = 0; change < 3; ++change)
        damaged.back()[dice() % damaged.back().size()] = static_cast<uint8_t>(dice());
      codes.push_back(function.code);
    }
    for (size_t i = 0; i < codes.size(); ++i) {
      codes[i].instructions = damaged[i];
      if (round % 3 == 0) codes[i].variables.clear();
      if (round % 5 == 0) codes[i].constants.clear();
    }
    Program program(std::move(codes));
    for (const char* owner : {"", "main"})
      analyze::find_storing_line(program,
                                 {analyze::KeptName::Kind::variable, "losses", owner, "a"});
  }
}

TEST_P(DamagedCodeTest, IsFoundAgainBehindAnUnknownInstruction) {
  Compiled compiled = compile("y = f(x, x)\nlosses.append(x)\n");
  Code code = compiled.program().functions()[0].code;
  std::vector<uint8_t> bytes(code.instructions.begin(), code.instructions.end());
  int unknown = 0;
  while (opcodes_of(code.version)[unknown].op() != Op::UNKNOWN) ++unknown;
  std::vector<Instruction> all = instructions_of(code);
  size_t first = 0;
  while (all[first].line != 1 || all[first].op == Op::RESUME) ++first;
  bytes[static_cast<size_t>(all[first].offset)] = static_cast<uint8_t>(unknown);
  code.instructions = bytes;
  std::vector<Code> codes{code};
  Program program(std::move(codes));
  auto found =
      analyze::find_storing_line(program, {analyze::KeptName::Kind::variable, "losses", "", ""});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->line, 2);
}

}  // namespace
}  // namespace tenure::bytecode
