// cli/options, command_help and command_line: what is parsed is told, once, in help, manual page, docs and completions.
#include "cli/command_line.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "cli/command_help.h"
#include "cli/options.h"
#include "cli/settings.h"

namespace tenure::cli {
namespace {

class CommandLineTest : public testing::Test {
 protected:
  CommandLineTest() { add_verbs(app_, options_); }

  CommandLine line() const { return command_line_of(app_); }
  const VerbText& verb(const std::string& name) {
    line_ = line();
    for (const VerbText& verb : line_.verbs) {
      if (verb.name == name) return verb;
    }
    throw std::out_of_range(name);
  }
  void parse(const std::string& words) {
    app_.parse(words);
    note_what_was_typed(app_, options_);
  }

  Options options_;
  CLI::App app_{"About it.", "tenure"};
  CommandLine line_;
};

size_t count(const std::string& text, const std::string& pattern) {
  const std::regex wanted(pattern);
  return static_cast<size_t>(
      std::distance(std::sregex_iterator(text.begin(), text.end(), wanted), {}));
}

TEST_F(CommandLineTest, HelpOfAVerbTellsEachOfItsOptionsOnce) {
  for (const VerbText& verb : line().verbs) {
    const std::string text = help(verb);
    for (const OptionText& option : verb.options) {
      for (const std::string& name : option.names)
        EXPECT_EQ(count(text, "\n  (-\\w, )?" + name + "[ ,\n]"), 1u)
            << verb.name << " " << name << "\n"
            << text;
    }
  }
}

TEST_F(CommandLineTest, EveryFormTellsEveryVerbAndOption) {
  for (const std::string form : {"bash", "zsh", "fish", "man", "markdown"}) {
    std::string text = told_as(form, line());
    text = std::regex_replace(text, std::regex("\\\\-"), "-");  // of the manual page
    for (const VerbText& verb : line().verbs) {
      EXPECT_NE(text.find(verb.name), std::string::npos) << form;
      for (const OptionText& option : verb.options) {
        for (const std::string& name : option.names) {
          const std::string as_told =
              form != "fish" ? name : (name.starts_with("--") ? "-l " + name.substr(2) : "-s ");
          EXPECT_NE(text.find(as_told), std::string::npos) << form << " " << verb.name << name;
        }
      }
    }
  }
}

TEST_F(CommandLineTest, HelpNamesTheProgramItsGroupsAndExamples) {
  const std::string text = help(line());
  for (const char* expected :
       {"About it.", "Usage: tenure VERB [options]", "\nRun a program:\n", "\nExamples:\n",
        "\nRead what was recorded:\n", "\nSet up:\n", "  tenure run train.py\n", "  --version"})
    EXPECT_NE(text.find(expected), std::string::npos) << expected << text;
  EXPECT_EQ(count(text, "\n  run  "), 1u);
}

TEST_F(CommandLineTest, EveryVerbHasAnExampleThatIsParsed) {
  for (const VerbText& verb : line().verbs) {
    ASSERT_FALSE(verb.examples.empty()) << verb.name;
    for (const Example& example : verb.examples) {
      std::string words = example.command.substr(std::string("tenure ").size());
      words = words.substr(0, words.find(" -- "));  // main.cpp cuts the program off
      Options filled;
      CLI::App app;
      add_verbs(app, filled);
      EXPECT_NO_THROW(app.parse(words)) << example.command;
      EXPECT_TRUE(app.got_subcommand(verb.name)) << example.command;
    }
  }
}

TEST_F(CommandLineTest, NoLineOfTheHelpIsTooWide) {
  std::string all = help(line());
  for (const VerbText& verb : line().verbs) all += help(verb);
  std::istringstream lines(all);
  for (std::string one; std::getline(lines, one);) EXPECT_LE(one.size(), 100u) << one;
}

TEST_F(CommandLineTest, EverySettingIsAnOptionOfRun) {
  std::set<std::string> names;
  for (const OptionText& option : verb("run").options)
    names.insert(option.names.begin(), option.names.end());
  for (const std::string& name : setting_names()) EXPECT_TRUE(names.count("--" + name)) << name;
}

TEST_F(CommandLineTest, SettingsThatWereTypedAreKnown) {
  parse("run --observe=false --ignore a.py:1 --ignore b x.py --quiet");
  EXPECT_EQ(options_.run.typed, (std::vector<std::string>{"ignore", "observe"}));
  EXPECT_FALSE(options_.run.is_observing);
  EXPECT_EQ(options_.run.ignore, (std::vector<std::string>{"a.py:1", "b"}));
}

TEST_F(CommandLineTest, WhatIsHiddenIsToldToNobody) {
  EXPECT_EQ(help(line()).find("--print-for"), std::string::npos);
  EXPECT_EQ(told_as("bash", line()).find("--print-for"), std::string::npos);
  EXPECT_EQ(told_as("csh", line()), "");
}

}  // namespace
}  // namespace tenure::cli
