// A source and a name in, the one line that stores into it out; nothing where that is not certain.
#include "analyze/storing_line.h"

#include <gtest/gtest.h>

namespace tenure::analyze {
namespace {

using Kind = KeptName::Kind;

int line_of(const std::string& text, const KeptName& kept) {
  SourceText source{"train.py", text};
  auto found = find_storing_line({&source, 1}, kept);
  return found ? found->line : 0;
}

int line_of_global(const std::string& text) {
  return line_of(text, {Kind::variable, "losses", "", ""});
}

TEST(StoringLine, OfAGlobalListIsTheAppend) {
  SourceText source{"train.py",
                    "losses = []\n"
                    "def step(x):\n"
                    "    loss = x.sum()\n"
                    "    losses.append(loss)\n"
                    "    print(len(losses), losses[-1])\n"};
  auto found = find_storing_line({&source, 1}, {Kind::variable, "losses", "", ""});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->line, 4);
  EXPECT_EQ(found->function, "step");
  EXPECT_EQ(found->file, "train.py");
}

TEST(StoringLine, EveryWayToStoreCounts) {
  for (const char* store :
       {"losses.append(x)", "losses += [x]", "losses = losses + [x]", "losses[k] = x",
        "losses['a'].append(x)", "losses['a'][3] += x", "losses.setdefault(k, []).append(x)",
        "losses.add(x)", "if x: losses.append(x)", "losses = [f(i) for i in r]",
        "train.losses.append(x)"})
    EXPECT_EQ(line_of_global(std::string("losses = []\n") + store + "\n"), 2) << store;
}

TEST(StoringLine, IsNotTheOneThatTakesItFromAnother) {
  EXPECT_EQ(line_of_global("losses = watch(model)\n"), 0);
  KeptName local{Kind::variable, "losses", "main", ""};
  EXPECT_EQ(line_of("def main():\n    losses = hooks.watch(model)\n", local), 0);
  for (const char* store : {"losses = step(x) + losses", "for x in r:\n        losses = step(x)"})
    EXPECT_NE(line_of(std::string("def main():\n    ") + store + "\n", local), 0) << store;
}

TEST(StoringLine, LookingAtItIsNoStore) {
  for (const char* look :
       {"print(losses)", "y = losses[0]", "for x in losses:", "losses.clear()", "losses == x",
        "if losses[0] == 3: pass", "# losses.append(x)", "'losses.append(x)'", "global losses",
        "del losses[0]", "losses = {}", "losses: list = []", "losses = collections.deque()",
        "print(losses.maxlen)", "my_losses.append(x)", "np.mean(losses)", "losses_of.append(x)",
        "table = np.stack(losses)", "for i, x in enumerate(losses):"})
    EXPECT_EQ(line_of_global(std::string("losses.append(x)\n") + look + "\n"), 1) << look;
}

TEST(StoringLine, IsNotGuessedAmongSeveral) {
  EXPECT_EQ(line_of_global("losses.append(x)\nlosses.append(y)\n"), 0);
  SourceText sources[] = {{"a.py", "losses.append(x)\n"},
                          {"b.py", "import a\na.losses.append(x)\n"}};
  EXPECT_FALSE(find_storing_line(sources, {Kind::variable, "losses", "", ""}));
}

TEST(StoringLine, OfAnItemIsTheLineThatNamesIt) {
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

TEST(StoringLine, IsNotGuessedWhenTheNameIsHandedOn) {
  for (const char* use :
       {"keep(losses)", "other = losses\nother.append(x)", "keep(x, losses)", "Trainer(log=losses)",
        "both = [losses, y]", "push = losses.append", "return losses"})
    EXPECT_EQ(line_of_global(std::string("losses.append(x)\n") + use + "\n"), 0) << use;
}

TEST(StoringLine, IsFoundUnderOtherNames) {
  KeptName local{Kind::variable, "losses", "main", ""};
  for (const char* text :
       {"def step(x, log):\n    log.append(x)\ndef main():\n    losses = []\n    step(1, losses)\n",
        "def step(x,\n log=None, *more):\n  log.append(x)\ndef main():\n  step(1, log=losses)\n",
        "class T:\n  def __init__(self, log):\n    self.log = log\n"
        "  def step(self):\n    self.log.append(1)\ndef main():\n  losses = []\n  T(losses)\n",
        "def watch():\n  log = {}\n  def hook(x):\n    log[x] = x\n  return log\n"
        "def main():\n  losses = watch()\n",
        "def watch():\n  log = {}\n  def hook(x):\n    rows = log.setdefault(x, [])\n"
        "    rows.append(x)\n  return log\ndef main():\n  losses = watch()\n",
        "def main():\n  losses = {}\n  if x not in losses:\n    losses[x] = []\n"
        "  losses[x].append(2)\n"}) {
    SourceText source{"train.py", text};
    auto found = find_storing_line({&source, 1}, local);
    ASSERT_TRUE(found) << text;
    auto lines = std::string(text);
    for (int i = 1; i < found->line; ++i) lines.erase(0, lines.find('\n') + 1);
    std::string line = lines.substr(0, lines.find('\n'));
    EXPECT_TRUE(line.find(".append(") != line.npos || line.find("log[x] =") != line.npos) << line;
  }
}

TEST(StoringLine, IsNotGuessedUnderOtherNames) {
  KeptName local{Kind::variable, "losses", "main", ""};
  for (const char* text :
       {"def step(log):\n  log.append(1)\ndef main():\n  losses.append(2)\n  step(losses)\n",
        "def step(log):\n  log.append(1)\nclass A:\n  def step(self, log):\n    pass\n"
        "def main():\n  step(losses)\n",
        "def step(log):\n  send(log)\n  log.append(1)\ndef main():\n  step(losses)\n",
        "def watch():\n  if x:\n    return []\n  log.append(1)\n  return log\n"
        "def main():\n  losses = watch()\n",
        "def step(*logs):\n  logs.append(1)\ndef main():\n  step(losses)\n"})
    EXPECT_EQ(line_of(text, local), 0) << text;
}

TEST(StoringLine, TextInStringsIsNoCode) {
  EXPECT_EQ(line_of_global("\"\"\"\nlosses.append(1)\n\"\"\"\nx = '\\'losses.append(2)'\n"
                           "losses.append(3)  # losses.append(4)\n"),
            5);
}

TEST(StoringLine, OfAnAttributeIsLookedForInItsClass) {
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

TEST(StoringLine, NamesItsFunctionAsPythonDoes) {
  auto function_of = [](const std::string& text) {
    SourceText source{"train.py", text};
    auto found = find_storing_line({&source, 1}, {Kind::variable, "held", "", ""});
    return found ? found->function : "";
  };
  EXPECT_EQ(function_of("held.append(1)\n"), "<module>");
  EXPECT_EQ(function_of("if x:\n    held.append(1)\n"), "<module>");
  EXPECT_EQ(function_of("class A:\n  def f(self):\n    if x:\n      held.append(1)\n"), "A.f");
  EXPECT_EQ(function_of("def install():\n  held = []\n  def hook(x):\n    held.append(x)\n"),
            "install.<locals>.hook");
}

TEST(StoringLine, OfALocalIsLookedForInItsFunction) {
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

TEST(StoringLine, OfACacheIsItsDecorator) {
  std::string text =
      "class Model:\n"
      "    @functools.lru_cache(maxsize=None)\n"
      "    def features(self, x):\n"
      "        return x\n";
  EXPECT_EQ(line_of(text, {Kind::cached_function, "features", "", ""}), 2);
  EXPECT_EQ(line_of(text, {Kind::cached_function, "other", "", ""}), 0);
}

TEST(StoringLine, SurvivesAnyText) {
  for (const char* text :
       {"", "'", "\"\"\"", "losses[", "losses.", "losses", "\\", "'\\", "def ", "\n\n"})
    EXPECT_LE(line_of_global(text), 1) << text;
}

TEST(StoringLine, AMentionIsTheWholeNameInCode) {
  SourceText source{"train.py", "# opaque\nkept.losses_of = 'state'\n"};
  EXPECT_TRUE(is_mentioned({&source, 1}, "losses_of"));
  EXPECT_FALSE(is_mentioned({&source, 1}, "losses"));
  EXPECT_FALSE(is_mentioned({&source, 1}, "opaque"));
  EXPECT_FALSE(is_mentioned({&source, 1}, "state"));
}

}  // namespace
}  // namespace tenure::analyze
