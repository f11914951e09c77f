// A program and a name in, the one line that stores into it out; nothing where that is not certain. The sources are compiled
// by every CPython that is installed.
#include "analyze/heap/storing_line.h"

#include "../bytecode/compiled.h"

namespace tenure::analyze {
namespace {

using bytecode::Compiled;
using Kind = KeptName::Kind;

const KeptName kGlobal{Kind::variable, "losses", "", ""};
const KeptName kLocal{Kind::variable, "losses", "main", ""};

class StoringLineTest : public bytecode::OnEachPython {
 protected:
  std::optional<StoringLine> find(const std::string& text, const KeptName& kept) const {
    return find_storing_line(compile(text).program(), kept);
  }
  int line_of(const std::string& text, const KeptName& kept = kGlobal) const {
    auto found = find(text, kept);
    return found ? found->line : 0;
  }
};
INSTANTIATE_TEST_SUITE_P(Code, StoringLineTest, bytecode::kAllPythons, bytecode::name_of_python);

TEST_P(StoringLineTest, OfAGlobalListIsTheAppend) {
  auto found = find(
      "losses = []\n"
      "def step(x):\n"
      "    loss = x.sum()\n"
      "    losses.append(loss)\n"
      "    print(len(losses), losses[-1])\n",
      kGlobal);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->line, 4);
  EXPECT_EQ(found->function, "step");
  EXPECT_EQ(found->file, "train.py");
}

TEST_P(StoringLineTest, EveryWayToStoreCounts) {
  for (const char* store :
       {"losses.append(x)", "losses += [x]", "losses = losses + [x]", "losses[k] = x",
        "losses['a'].append(x)", "losses['a'][3] += x", "losses.setdefault(k, []).append(x)",
        "losses.add(x)", "if x: losses.append(x)", "losses = [f(i) for i in r]",
        "train.losses.append(x)", "losses.get(k).append(x)", "losses[1:] = x",
        "with lock: losses.append(x)", "y = losses.append(x) if x else None",
        "[losses.append(x) for x in y]", "losses.append([x for x in y])", "losses[k] = yes or no"})
    EXPECT_EQ(line_of(std::string("losses = []\n") + store + "\n"), 2) << store;
}

TEST_P(StoringLineTest, APlaceForOneIsFilledElsewhere) {
  EXPECT_EQ(line_of("losses = []\nlosses.append(None)\nlosses[k] = x\n"), 3);
  EXPECT_EQ(line_of("losses = []\nlosses.append(None)\n"), 2);
  EXPECT_EQ(line_of("losses = [None] * most\nlosses[k] = x\n"), 2);
  EXPECT_EQ(line_of("losses = []\nfor i in r:\n  losses = losses + [1]\n"), 3);
}

TEST_P(StoringLineTest, OfAGraphIsTheLineThatMakesItFromWhatItWas) {
  const char* text =
      "class Ema:\n"
      "    def __init__(self):\n"
      "        self.mean = torch.zeros(9)\n"
      "    def forward(self, x):\n"
      "        self.mean = 0.9 * self.mean + x.mean(0)\n"
      "        return x\n";
  KeptName mean{Kind::attribute, "mean", "Ema", ""};
  EXPECT_EQ(line_of(text, mean), 0);
  mean.is_graph = true;
  EXPECT_EQ(line_of(text, mean), 5);
}

TEST_P(StoringLineTest, IsTheLineThatNamesItInALongStatement) {
  EXPECT_EQ(line_of("losses = []\nlosses.append(\n  make(\n    x,\n  )\n)\n"), 2);
  EXPECT_EQ(line_of("losses = []\nkeep(\n  x,\n  losses.append(x))\n"), 4);
}

TEST_P(StoringLineTest, IsNotTheOneThatTakesItFromAnother) {
  EXPECT_EQ(line_of("losses = watch(model)\n"), 0);
  EXPECT_EQ(line_of("def main():\n    losses = hooks.watch(model)\n", kLocal), 0);
  for (const char* store : {"losses = step(x) + losses", "for x in r:\n        losses = step(x)"})
    EXPECT_NE(line_of(std::string("def main():\n    losses = 1\n    ") + store + "\n", kLocal), 0)
        << store;
}

TEST_P(StoringLineTest, LookingAtItIsNoStore) {
  for (const char* look : {"print(losses)",
                           "y = losses[0]",
                           "for x in losses: pass",
                           "losses.clear()",
                           "losses == x",
                           "if losses[0] == 3: pass",
                           "# losses.append(x)",
                           "'losses.append(x)'",
                           "def f():\n  global losses",
                           "del losses[0]",
                           "losses = {}",
                           "losses: list = []",
                           "losses = collections.deque()",
                           "print(losses.maxlen)",
                           "my_losses.append(x)",
                           "np.mean(losses)",
                           "losses_of.append(x)",
                           "table = np.stack(losses)",
                           "for i, x in enumerate(losses): pass",
                           "print('all', losses)",
                           "losses = losses or []",
                           "losses = 'none'",
                           "rows = losses[1:]\nrows.append(x)",
                           "print(f'{losses} {x!r:>{k}}')",
                           "assert losses, 'none'",
                           "y = [x for x in losses if x]",
                           "y = {**losses}",
                           "def f(losses):\n  losses.append(x)",
                           "a, b = losses",
                           "y = x in losses"})
    EXPECT_EQ(line_of(std::string("losses.append(x)\n") + look + "\n"), 1) << look;
}

TEST_P(StoringLineTest, IsNotGuessedAmongSeveral) {
  EXPECT_EQ(line_of("losses.append(x)\nlosses.append(y)\n"), 0);
  Compiled two(GetParam(),
               {{"a.py", "losses.append(x)\n"}, {"b.py", "import a\na.losses.append(x)\n"}});
  EXPECT_FALSE(find_storing_line(two.program(), kGlobal));
}

TEST_P(StoringLineTest, OfAnItemIsTheLineThatNamesIt) {
  const char* text =
      "def validate():\n"
      "    results = {'mse': 0, 'mae': 0}\n"
      "    for x in xs:\n"
      "        results[\"mse\"] += a(x)\n"
      "        results['mae'] += b(x)\n"
      "    return results\n";
  EXPECT_EQ(line_of(text, {Kind::variable, "results", "validate", "mse"}), 4);
  EXPECT_EQ(line_of(text, {Kind::variable, "results", "validate", "mae"}), 5);
  EXPECT_EQ(line_of(text, {Kind::variable, "results", "validate", ""}), 0);
  EXPECT_EQ(line_of(text, {Kind::variable, "results", "validate", "psnr"}), 2);
}

TEST_P(StoringLineTest, IsNotGuessedWhenTheNameIsHandedOn) {
  for (const char* use :
       {"keep(losses)", "other = losses\nother.append(x)", "keep(x, losses)", "Trainer(log=losses)",
        "both = [losses, y]", "push = losses.append", "def f():\n  return losses",
        "keep(*losses, **y)\nkeep(*[losses])", "d['k'] = losses", "def f():\n  yield losses",
        "other = x if y else losses\nother.append(x)", "both = {'a': losses, 'b': 2}",
        "both = [losses for x in y]"})
    EXPECT_EQ(line_of(std::string("losses.append(x)\n") + use + "\n"), 0) << use;
}

TEST_P(StoringLineTest, IsFoundUnderOtherNames) {
  for (const char* text :
       {"def step(x, log):\n    log.append(x)\ndef main():\n    losses = []\n    step(1, losses)\n",
        "def step(x,\n log=None, *more):\n  log.append(x)\ndef main():\n  losses = []\n"
        "  step(1, log=losses)\n",
        "class T:\n  def __init__(self, log):\n    self.log = log\n"
        "  def step(self):\n    self.log.append(1)\ndef main():\n  losses = []\n  T(losses)\n",
        "def watch():\n  log = {}\n  def hook(x):\n    log[x] = x\n  return log\n"
        "def main():\n  losses = watch()\n",
        "def watch():\n  log = {}\n  def hook(x):\n    rows = log.setdefault(x, [])\n"
        "    rows.append(x)\n  return log\ndef main():\n  losses = watch()\n",
        "def main():\n  losses = {}\n  if x not in losses:\n    losses[x] = []\n"
        "  losses[x].append(2)\n",
        "def step(x, *, log):\n  log.append(x)\ndef main():\n  losses = []\n  step(1, "
        "log=losses)\n",
        "def main():\n  losses = {}\n  losses.setdefault(x, [])\n  losses[x].append(2)\n"}) {
    auto found = find(text, kLocal);
    ASSERT_TRUE(found) << text;
    auto lines = std::string(text);
    for (int i = 1; i < found->line; ++i) lines.erase(0, lines.find('\n') + 1);
    std::string line = lines.substr(0, lines.find('\n'));
    EXPECT_TRUE(line.find(".append(") != line.npos || line.find("log[x] =") != line.npos) << line;
  }
}

TEST_P(StoringLineTest, IsFoundUnderEightNamesAndNotGuessedUnderMore) {
  for (int handed_on : {7, 8}) {
    std::string text;
    for (int i = 1; i < handed_on; ++i) {
      std::string n = std::to_string(i), next = std::to_string(i + 1);
      text += "def f" + n + "(log" + n + "):\n  f" + next + "(log" + n + ")\n";
    }
    std::string last = std::to_string(handed_on);
    text += "def f" + last + "(log" + last + "):\n  log" + last + ".append(1)\n";
    int line = 2 * handed_on;
    text += "def main():\n  losses = []\n  f1(losses)\n";
    EXPECT_EQ(line_of(text, kLocal), handed_on == 7 ? line : 0) << text;
  }
}

TEST_P(StoringLineTest, IsNotGuessedUnderOtherNames) {
  for (const char* text :
       {"def step(log):\n  log.append(1)\ndef main():\n  losses = []\n  losses.append(2)\n"
        "  step(losses)\n",
        "def step(log):\n  log.append(1)\nclass A:\n  def step(self, log):\n    pass\n"
        "def main():\n  losses = []\n  step(losses)\n",
        "def step(log):\n  send(log)\n  log.append(1)\ndef main():\n  losses = []\n  "
        "step(losses)\n",
        "def watch():\n  if x:\n    return []\n  log.append(1)\n  return log\n"
        "def main():\n  losses = watch()\n",
        "def step(*logs):\n  logs.append(1)\ndef main():\n  losses = []\n  step(losses)\n"})
    EXPECT_EQ(line_of(text, kLocal), 0) << text;
}

TEST_P(StoringLineTest, TextInStringsIsNoCode) {
  EXPECT_EQ(line_of("\"\"\"\nlosses.append(1)\n\"\"\"\nx = '\\'losses.append(2)'\n"
                    "losses.append(3)  # losses.append(4)\n"),
            5);
}

TEST_P(StoringLineTest, OfAnAttributeIsLookedForInItsClass) {
  std::string text =
      "class Other:\n"
      "    def keep(self, x):\n"
      "        self.cache.append(x)\n"
      "class Loader:\n"
      "    def __init__(self):\n"
      "        self.cache = {}\n"
      "    def load(self, k):\n"
      "        self.cache[k] = read(k)\n"
      "        return self.cache[k]\n";
  EXPECT_EQ(line_of(text, {Kind::attribute, "cache", "Loader", ""}), 8);
  EXPECT_EQ(line_of(text, {Kind::attribute, "cache", "Other", ""}), 3);
  EXPECT_EQ(line_of(text + "loader.cache['x'] = 1\n", {Kind::attribute, "cache", "Loader", ""}), 0);
}

TEST_P(StoringLineTest, NamesItsFunctionAsPythonDoes) {
  auto function_of = [this](const std::string& text) {
    auto found = find(text, {Kind::variable, "held", "", ""});
    return found ? found->function : "";
  };
  EXPECT_EQ(function_of("held.append(1)\n"), "<module>");
  EXPECT_EQ(function_of("if x:\n    held.append(1)\n"), "<module>");
  EXPECT_EQ(function_of("class A:\n  def f(self):\n    if x:\n      held.append(1)\n"), "A.f");
  EXPECT_EQ(function_of("def install():\n  held = []\n  def hook(x):\n    held.append(x)\n"),
            "install.<locals>.hook");
  EXPECT_EQ(function_of("def f():\n  return [held.append(x) for x in y]\n"), "f");
}

TEST_P(StoringLineTest, OfALocalIsLookedForInItsFunction) {
  std::string text =
      "def other():\n"
      "    kept = [1]\n"
      "    kept.append(2)\n"
      "def main():\n"
      "    kept = []\n"
      "    for i in range(9):\n"
      "        kept.append(make(i))\n"
      "    return kept\n";
  EXPECT_EQ(line_of(text, {Kind::variable, "kept", "main", ""}), 7);
  EXPECT_EQ(line_of(text + "def main():\n    pass\n", {Kind::variable, "kept", "main", ""}), 0)
      << "two functions of that name";
}

TEST_P(StoringLineTest, IsFoundAroundHandlersLoopsAndContexts) {
  for (const char* body :
       {"    try:\n      losses.append(x)\n    except ValueError as e:\n      raise\n",
        "    try:\n      f(x)\n    except ValueError as e:\n      losses.append(e)\n",
        "    try:\n      f(x)\n    finally:\n      losses.append(x)\n",
        "    with a as b, c:\n      losses.append(b)\n",
        "    while f(x):\n      if x: continue\n      losses.append(x)\n",
        "    for i, j in zip(x, x):\n      if i: break\n      losses.append(j)\n    else:\n      "
        "pass\n",
        "    losses.append(x if y else z)\n", "    losses.append((yield x))\n",
        "    losses.append(lambda q=1: q)\n", "    losses.append({k: [v for v in y] for k in x})\n",
        "    losses.append(f(*x, y, k=1, **z))\n", "    losses.append(not x and y or z[1:2])\n"}) {
    std::string text = std::string("def main(x, y, z):\n    losses = []\n") + body;
    auto found = find(text, kLocal);
    ASSERT_TRUE(found) << text;
    auto lines = text;
    for (int i = 1; i < found->line; ++i) lines.erase(0, lines.find('\n') + 1);
    EXPECT_NE(lines.substr(0, lines.find('\n')).find("losses.append("), std::string::npos) << text;
  }
}

// The compiler loads a function of a module that is imported here in another way than a method.
TEST_P(StoringLineTest, AFunctionOfAnImportedModuleOnlyLooks) {
  std::string text =
      "import numpy as np\n"
      "def main():\n"
      "    losses = []\n"
      "    for x in range(3):\n"
      "        losses.append(x)\n"
      "    return np.stack(losses)\n";
  EXPECT_EQ(line_of(text, {Kind::variable, "losses", "main", ""}), 5);
}

TEST_P(StoringLineTest, AValueMadeFromTheOldOneIsStoredWhereItIsMade) {
  std::string text =
      "def main():\n"
      "    last = None\n"
      "    for x in range(3):\n"
      "        last = Episode(x, last)\n"
      "    return last.x\n";
  EXPECT_EQ(line_of(text, {Kind::variable, "last", "main", ""}), 4);
}

TEST_P(StoringLineTest, OfACacheIsItsDecorator) {
  std::string text =
      "class Model:\n"
      "    @functools.lru_cache(maxsize=None)\n"
      "    def features(self, x):\n"
      "        return x\n"
      "@logged\n"
      "@cache\n"
      "def rows(x):\n"
      "    return x\n";
  EXPECT_EQ(line_of(text, {Kind::cached_function, "features", "", ""}), 2);
  EXPECT_EQ(line_of(text, {Kind::cached_function, "rows", "", ""}), 6);
  EXPECT_EQ(line_of(text, {Kind::cached_function, "other", "", ""}), 0);
}

TEST_P(StoringLineTest, AMentionIsTheWholeNameInCode) {
  Compiled compiled = compile("# opaque\nkept.losses_of = 'state'\n");
  EXPECT_TRUE(compiled.program().mentions("losses_of"));
  EXPECT_FALSE(compiled.program().mentions("losses"));
  EXPECT_FALSE(compiled.program().mentions("opaque"));
  EXPECT_FALSE(compiled.program().mentions("state"));
}

}  // namespace
}  // namespace tenure::analyze
