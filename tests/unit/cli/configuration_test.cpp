// cli/configuration: what stands in a file is read as it was meant, or told wrong in one sentence with its line.
#include "cli/configuration.h"

#include <gtest/gtest.h>

namespace tenure::cli {
namespace {

std::string written_in(const std::string& text, const std::string& table = "") {
  Result<Configuration> found = parse_configuration(text, table, "f.toml");
  if (!found) return found.error().message;
  std::string all;
  for (const SettingValue& value : found->values)
    all += std::string(value.setting->name) + "=" + written(value) + " (" + value.origin + ") ";
  return all;
}

TEST(Configuration, ValuesOfAllFormsAreRead) {
  EXPECT_EQ(written_in("observe = true\nsteps = 'epoch'\nignore = [\n 'a.py:1', # why\n \"b\"]\n"),
            "observe=true (f.toml, line 1) steps=\"epoch\" (f.toml, line 2) "
            "ignore=[\"a.py:1\", \"b\"] (f.toml, line 3) ");
}

TEST(Configuration, OnlyItsOwnTableIsRead) {
  const char* text =
      "[tool.other]\nobserve = 3\nx = \"\"\"\n[tool.tenure]\n\"\"\"\n[ tool.tenure ]\nquiet = "
      "true\n"
      "[tool.more]\nquiet = 7\n";
  EXPECT_EQ(written_in(text, "tool.tenure"), "quiet=true (f.toml, line 7) ");
}

TEST(Configuration, FileWithoutTheTableIsNone) {
  Result<Configuration> found = parse_configuration("[tool.other]\nx = 1\n", "tool.tenure", "f");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->file, "");
}

TEST(Configuration, UnknownKeyIsToldTheNearestName) {
  EXPECT_EQ(written_in("\nobsreve = true\n"),
            "f.toml, line 2: Tenure knows no `obsreve`; did you mean `observe`?");
  EXPECT_TRUE(written_in("colour = 1\n").find("; it knows `guard`, `ignore`,") !=
              std::string::npos);
}

TEST(Configuration, WrongValueIsToldTheRightForm) {
  EXPECT_EQ(written_in("observe = 1\n"), "f.toml, line 1: `observe` is true or false");
  EXPECT_EQ(written_in("observe = trueish\n"), "f.toml, line 1: `observe` is true or false");
  EXPECT_EQ(written_in("ignore = 'a'\n"),
            "f.toml, line 1: `ignore` is a list of texts: [\"train.py:42\", \"runner.buffer\"]");
  EXPECT_EQ(written_in("steps = epoch\n"),
            "f.toml, line 1: `steps` is a text: \"auto\", \"none\" or the name of a series");
  EXPECT_EQ(written_in("quiet\n"), "f.toml, line 1: `quiet` needs `= true`");
  EXPECT_EQ(written_in("quiet = true\nquiet = false\n"), "f.toml, line 2: `quiet` is there twice");
}

TEST(Configuration, TablesThatWouldBePassedOverAreTold) {
  EXPECT_EQ(
      written_in("[tool.tenure]\nquiet = true\n"),
      "f.toml, line 1: write the keys without a table; `[tool.tenure]` is for pyproject.toml");
  EXPECT_EQ(written_in("[tool.tenure.run]\nquiet = true\n", "tool.tenure"),
            "f.toml, line 1: Tenure knows no table `[tool.tenure.run]`; its keys are all in "
            "`[tool.tenure]`");
}

}  // namespace
}  // namespace tenure::cli
