// tests/unit/record/sources_test.cpp: lines of the user's files: as they were when the program ran, or none.
#include "record/sources.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "record/sources_json.h"

namespace tenure::record {
namespace {

constexpr uint64_t kLater = 4'000'000'000'000'000'000;  // nothing on this disk is younger

class SourcesTest : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ + "/train.py") << "import x\n    losses.append(loss)  \r\nlast";
    outcome_.directory = folder_;
    outcome_.started_ns = kLater;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string folder_ = testing::TempDir() + "sources_test." + std::to_string(getpid());
  RunOutcome outcome_;
};

TEST_F(SourcesTest, GiveALineWithoutTheBlanksAroundIt) {
  auto sources = Sources::from_files(outcome_);
  EXPECT_EQ(sources->line(folder_ + "/train.py", 2), "losses.append(loss)");
  EXPECT_EQ(sources->line(folder_ + "/train.py", 3), "last");
  EXPECT_EQ(sources->line(folder_ + "/train.py", 4), "");
  EXPECT_EQ(sources->line(folder_ + "/train.py", 0), "");
}

TEST_F(SourcesTest, AreFoundFromWhereTheProgramWasStarted) {
  EXPECT_EQ(Sources::from_files(outcome_)->line("train.py", 1), "import x");
}

TEST_F(SourcesTest, ThatAreNoFilesAreMissing) {
  mkfifo((folder_ + "/pipe.py").c_str(), 0600);
  auto sources = Sources::from_files(outcome_);
  for (const char* name : {"gone.py", "pipe.py", ".", "<string>", ""}) {
    EXPECT_EQ(sources->line(name, 1), "") << name;
    EXPECT_EQ(sources->file(name).state, SourceState::missing) << name;
  }
}

TEST_F(SourcesTest, ThatChangedMeanwhileHaveADigestAndNoText) {
  outcome_.started_ns = 1;
  auto sources = Sources::from_files(outcome_);
  EXPECT_EQ(sources->line("train.py", 1), "");
  EXPECT_EQ(sources->file("train.py").state, SourceState::changed);
  EXPECT_EQ(sources->file("train.py").digest.size(), 32u);
}

TEST_F(SourcesTest, WithoutTextStillHaveDigests) {
  outcome_.settings.keeps_source = false;
  auto sources = Sources::from_files(outcome_);
  EXPECT_EQ(sources->line("train.py", 1), "");
  EXPECT_EQ(sources->file("train.py").state, SourceState::read);
  EXPECT_TRUE(sources->answers().lines.empty());
}

TEST_F(SourcesTest, OfARecordNeedNoFiles) {
  auto sources = Sources::from_files(outcome_);
  sources->line("train.py", 2);
  auto read = parse_sources_json(sources_json(sources->answers()));
  std::filesystem::remove(folder_ + "/train.py");
  ASSERT_TRUE(read);
  Sources stored(std::move(*read));
  EXPECT_EQ(stored.line("train.py", 2), "losses.append(loss)");
  EXPECT_EQ(stored.line("train.py", 1), "");  // nobody asked for it
  EXPECT_EQ(stored.file("train.py").digest, sources->file("train.py").digest);
  EXPECT_EQ(stored.file("train.py").bytes, 40u);
}

TEST(SourcesJson, ThatIsDamagedIsNoAnswer) {
  EXPECT_FALSE(parse_sources_json(""));
  EXPECT_FALSE(parse_sources_json("{}"));
  EXPECT_FALSE(parse_sources_json(R"({"schema": "tenure-sources/1", "text": 1, "files": []})"));
  EXPECT_FALSE(
      parse_sources_json(R"({"schema": "tenure-sources/1", "text": true, "files": [{}]})"));
}

}  // namespace
}  // namespace tenure::record
