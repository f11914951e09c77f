// Each instruction puts on the stack and takes from it what the interpreter itself says, over parts of the standard library.
#include "bytecode/interpreter.h"

#include <set>

#include "bytecode/snapshot_codes.h"
#include "compiled.h"

namespace tenure::bytecode {
namespace {

class StackEffectTest : public OnEachPython {};
INSTANTIATE_TEST_SUITE_P(Code, StackEffectTest, kAllPythons, name_of_python);

// What the interpreter says of these holds for a handler that was entered by an exception, or for a way that is not
// followed; 3.11 shares a call out among two instructions.
const std::set<std::string> kOtherwise = {
    "SETUP_FINALLY", "SETUP_EXCEPT",          "SETUP_WITH",  "SETUP_ASYNC_WITH",
    "BEGIN_FINALLY", "CALL_FINALLY",          "POP_FINALLY", "END_FINALLY",
    "END_ASYNC_FOR", "WITH_CLEANUP_START",    "RERAISE",     "WITH_CLEANUP_FINISH",
    "GEN_START",     "JUMP_IF_NOT_EXC_MATCH", "PRECALL",     "RETURN_GENERATOR",
    "RETURN_VALUE",  "EXTENDED_ARG"};

const char* const kSource = R"(
async def a(x):
    async with x as y:
        await y
    async for i in x:
        yield [j async for j in i]
def b(x, *y, k=1, **z):
    try:
        with x as q, y: k += x[1:2]; x[1:2] = k
    except (A, B) as e: del e, x[0], x.y
    finally: print(f'{x!r:>{k}}', *y, sep='', **z)
    global g; g = {**x, 'a': (1, *y)}; first, *rest = x; {i: j for i, j in x}
    class C(x, m=y):
        z: int = x
        def f(self): return super().f(self, x) or x and not y < k < z
    import os.path as p; from os import sep, path
    return (yield from lambda: x if y else k)
)";

const std::vector<std::string> kModules = {"asyncio.streams", "contextlib", "dataclasses"};

TEST_P(StackEffectTest, IsThatOfTheInterpreter) {
  Compiled::Files files{{"all.py", kSource}};
  nlohmann::json answer =
      compiler_of(GetParam()).ask({{"files", files}, {"modules", kModules}, {"effects", true}});
  ASSERT_TRUE(answer.is_object());
  analyze::SnapshotBuilder builder;
  builder.set_python(answer["python"]);
  for (const auto& code : answer["codes"]) builder.code(built_code(code));
  ledger::Snapshot snapshot = builder.snapshot();
  std::vector<Code> codes = codes_of(snapshot);
  std::map<std::string, std::string> wrong;
  size_t compared = 0;
  for (size_t c = 0; c < codes.size(); ++c) {
    std::map<int32_t, nlohmann::json> effects;
    for (const auto& effect : answer["codes"][c]["effects"]) effects[effect[0]] = effect;
    Interpreter interpreter(codes[c]);
    for (const Instruction& i : instructions_of(codes[c])) {
      std::string name = effects[i.offset][1];
      bool is_shared = name == "CALL" && std::string(GetParam()) == "3.11";
      if (kOtherwise.contains(name) || is_shared) continue;
      std::optional<int> effect = interpreter.stack_effect(i);
      ++compared;
      if (!effect || *effect != effects[i.offset][2].get<int>())
        wrong[name] =
            (effect ? std::to_string(*effect) : "unknown") + " is not " + effects[i.offset].dump();
    }
  }
  EXPECT_GT(compared, 3000u);
  EXPECT_EQ(wrong, (std::map<std::string, std::string>{}));
}

}  // namespace
}  // namespace tenure::bytecode
