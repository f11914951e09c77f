// cli/settings: the command line counts before the environment, this before the file, and this before the default.
#include "cli/settings.h"

#include <gtest/gtest.h>

#include <map>

namespace tenure::cli {
namespace {

using Environment = std::map<std::string, std::string>;

Result<std::vector<SettingValue>> settled(const RunOptions& options, const Environment& variables,
                                          const std::vector<SettingValue>& in_file) {
  auto variable = [&](const char* name) -> const char* {
    auto at = variables.find(name);
    return at == variables.end() ? nullptr : at->second.c_str();
  };
  return effective_settings(options, variable, in_file);
}

std::string told(const std::string& name, const RunOptions& options = {},
                 const Environment& variables = {}, const std::vector<SettingValue>& in_file = {}) {
  auto values = settled(options, variables, in_file);
  if (!values) return values.error().message;
  for (const SettingValue& value : *values) {
    if (value.setting->name == name) return written(value) + " by " + value.origin;
  }
  return "not there";
}

RunOptions typed(const std::string& name) {
  RunOptions options;
  options.typed = {name};
  return options;
}

const std::vector<SettingValue> kFile = {{setting_of("steps"), {"file"}, "the file"},
                                         {setting_of("quiet"), {"true"}, "the file"}};

TEST(Settings, EachHasADefault) {
  auto values = settled({}, {}, {});
  ASSERT_TRUE(values);
  EXPECT_EQ(values->size(), kSettings.size());
  EXPECT_EQ(told("steps"), "\"auto\" by default");
  EXPECT_EQ(told("observe"), "false by default");
  EXPECT_EQ(told("ignore"), "[] by default");
}

TEST(Settings, FileCountsBeforeTheDefault) {
  EXPECT_EQ(told("steps", {}, {}, kFile), "\"file\" by the file");
}

TEST(Settings, VariableCountsBeforeTheFile) {
  EXPECT_EQ(told("steps", {}, {{"TENURE_STEPS", "mine"}}, kFile), "\"mine\" by TENURE_STEPS");
  EXPECT_EQ(told("quiet", {}, {{"TENURE_QUIET", "off"}}, kFile), "false by TENURE_QUIET");
}

TEST(Settings, CommandLineCountsBeforeAll) {
  RunOptions options = typed("steps");
  options.steps = "typed";
  EXPECT_EQ(told("steps", options, {{"TENURE_STEPS", "mine"}}, kFile), "\"typed\" by command line");
  EXPECT_EQ(told("quiet", typed("quiet"), {{"TENURE_QUIET", "1"}}, kFile), "false by command line");
}

TEST(Settings, EmptyVariableAsksForNothing) {
  EXPECT_EQ(told("steps", {}, {{"TENURE_STEPS", ""}}, kFile), "\"file\" by the file");
}

TEST(Settings, VariableOfAListIsSplitAtCommas) {
  EXPECT_EQ(told("ignore", {}, {{"TENURE_IGNORE", " a.py:3 , runner.buffer,, "}}),
            "[\"a.py:3\", \"runner.buffer\"] by TENURE_IGNORE");
}

TEST(Settings, VariableThatIsNeitherIsToldInOneSentence) {
  EXPECT_EQ(told("observe", {}, {{"TENURE_OBSERVE", "maybe"}}),
            "the variable TENURE_OBSERVE is `maybe`; set it to 1 or 0");
}

TEST(Settings, EachComesToItsOption) {
  Environment all;
  for (const Setting& setting : kSettings)
    all[variable_of(setting)] = setting.form == SettingForm::flag ? "1" : "x";
  auto values = settled({}, all, {});
  ASSERT_TRUE(values);
  RunOptions options;
  apply_settings(*values, options);
  EXPECT_TRUE(options.is_guarding && options.drops_source && options.is_observing);
  EXPECT_TRUE(options.is_quiet && options.has_page && options.counts_small_arrays);
  EXPECT_EQ(options.steps, "x");
  EXPECT_EQ(options.ignore, std::vector<std::string>{"x"});
}

}  // namespace
}  // namespace tenure::cli
