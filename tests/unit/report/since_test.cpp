// tests/unit/report/since_test.cpp: what a cell left behind in, its sentence and its table out.
#include "report/since.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace tenure::report {
namespace {

using analyze::MadeSince;
using testing::HasSubstr;

MadeSince sample() {
  MadeSince since;
  since.mark = "In[3]";
  since.has_ended = true;
  since.has_snapshot = true;
  since.bytes = 20 << 20;
  since.count = 12;
  since.peak_rise = 30 << 20;
  analyze::SinceLine line;
  line.where = {{"In[1]", 4, "make", PlaceRole::made_at, "return np.ones(n)"},
                {"In[3]", 2, "<module>", PlaceRole::made_at, "big = make(2_000_000)"}};
  line.bytes = 20 << 20;
  line.count = 12;
  line.holders = {{"global list `big` of the notebook", 20 << 20}};
  since.lines.push_back(line);
  return since;
}

TEST(Since, TheSentenceSaysWhatWasLeft) {
  MadeSince since = sample();
  EXPECT_EQ(since_sentence(since),
            "In[3] left 20 MiB behind, in 12 blocks. Its peak was 30 MiB above its start.");
  since.released_bytes = 8 << 20;
  since.is_estimated = true;
  since.peak_rise = 0;
  EXPECT_EQ(since_sentence(since),
            "In[3] left about 20 MiB behind, in about 12 blocks; it freed 8 MiB made before it.");
  since.has_ended = false;
  EXPECT_THAT(since_sentence(since), HasSubstr("In[3] has so far left about 20 MiB behind"));
}

TEST(Since, NothingIsSaidAsNothing) {
  MadeSince since;
  since.mark = "In[3]";
  since.has_ended = true;
  EXPECT_EQ(since_text(since, {}), "In[3] left nothing behind.\n");
  since.bytes = 3000;
  since.other_lines = 1;
  EXPECT_EQ(since_text(since, {}), "In[3] left next to nothing behind: 2.9 KiB.\n");
}

TEST(Since, ARowHasTheLineThatAskedTheLineThatMadeAndTheHolder) {
  EXPECT_EQ(since_text(sample(), {}),
            "In[3] left 20 MiB behind, in 12 blocks. Its peak was 30 MiB above its start.\n"
            "\n"
            "        left    blocks  line\n"
            "      20 MiB        12  In[3], line 2   big = make(2_000_000)\n"
            "                        made at In[1], line 4 in make()\n"
            "                        kept by global list `big` of the notebook\n");
}

TEST(Since, SeveralHoldersHaveTheirParts) {
  MadeSince since = sample();
  since.lines[0].holders.push_back({"global dict `cache` of the notebook", 5 << 20});
  EXPECT_THAT(since_text(since, {}),
              HasSubstr("`big` of the notebook (20 MiB); global dict `cache` of\n"));
}

TEST(Since, WithoutASnapshotHoldersAreNotKnown) {
  MadeSince since = sample();
  since.has_snapshot = false;
  since.lines[0].holders.clear();
  EXPECT_THAT(since_text(since, {}), HasSubstr("who keeps it is not known: no snapshot was taken"));
}

TEST(Since, ControlCharactersOfACellDoNotSteerTheTerminal) {
  MadeSince since = sample();
  since.lines[0].where[1].source = "x = '\x1b[2J'\n\xff";
  const std::string text = since_text(since, {});
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_FALSE(nlohmann::json::parse(since_json(since, {}), nullptr, false).is_discarded());
}

TEST(Since, TheDataHasTheSameWords) {
  const auto data = nlohmann::json::parse(since_json(sample(), {}));
  EXPECT_EQ(data["schema"], "tenure-since/1");
  EXPECT_EQ(data["text"], since_text(sample(), {}));
  EXPECT_EQ(data["lines"][0]["at"], "In[3], line 2");
  EXPECT_EQ(data["lines"][0]["kept_by"], "global list `big` of the notebook");
  EXPECT_EQ(data["lines"][0]["bytes"], 20 << 20);
}

}  // namespace
}  // namespace tenure::report
