// tests/unit/base/sentence_test.cpp: a sentence as one string: what is written can be read, and damage is survived.
#include "base/sentence.h"

#include <gtest/gtest.h>

#include <string>

#include "base/sentence_reader.h"
#include "base/sentence_writer.h"

namespace tenure {
namespace {

using Encoded = EncodedSentence<200>;

TEST(Sentence, IsWrittenAsAdaptersWriteIt) {  // tests/report/test_sentences.py has the same bytes
  Encoded inner("at");
  inner.with("line", "a.py:3");
  Encoded sentence("queue.closed");
  sentence.with("count", uint64_t{12}).with("where", inner);
  EXPECT_STREQ(sentence.text(),
               "\x02queue.closed\x1f"
               "count=12\x1fwhere=\x02"
               "at\x1fline=a.py:3\x03\x03");
}

TEST(Sentence, IsReadAsItWasWritten) {
  Encoded inner("at");
  inner.with("line", "a.py:3").with("column", "4");
  Encoded sentence("queue.closed");
  sentence.with("name", "x = y").with("where", inner);
  SentenceParts parts = read_sentence(sentence.text());
  EXPECT_EQ(parts.code, "queue.closed");
  EXPECT_EQ(parts["name"], "x = y");
  EXPECT_EQ(parts["where"], inner.text());
  EXPECT_EQ(parts["absent"], "");
  EXPECT_EQ(parts.size, std::string(sentence.text()).size());
}

TEST(Sentence, SeparatorsInAValueBecomeSpaces) {
  Encoded sentence("x");
  sentence.with("name",
                "a\x02"
                "b\x03"
                "c\x1f"
                "d");
  EXPECT_EQ(read_sentence(sentence.text())["name"], "a b c d");
}

TEST(Sentence, EndsWhereItEndsInALongerText) {
  std::string text = std::string(Encoded("x").text()) + "; more";
  EXPECT_EQ(text.substr(read_sentence(text).size), "; more");
}

TEST(Sentence, WithoutRoomIsCutAndStillOne) {
  EncodedSentence<16> sentence("code");
  sentence.with("name", "a long name that does not fit");
  EXPECT_EQ(std::string(sentence.text()).size(), 15u);
  EXPECT_EQ(read_sentence(sentence.text()).code, "code");
  EXPECT_EQ(read_sentence(sentence.text())["name"], "a l");
}

TEST(Sentence, CutAnywhereIsReadAsFarAsItGoes) {
  Encoded inner("at");
  inner.with("line", "a.py:3");
  Encoded sentence("x");
  sentence.with("where", inner).with("name", "n");
  std::string text = sentence.text();
  for (size_t size = 0; size <= text.size(); ++size) {
    SentenceParts parts = read_sentence(std::string_view(text).substr(0, size));
    EXPECT_LE(parts.size, size);
  }
}

TEST(Sentence, PlainTextHasNoneAndIsItsOwnCode) {
  EXPECT_EQ(read_sentence("closed").size, 0u);
  EXPECT_EQ(code_in("closed"), "closed");
  EXPECT_EQ(code_in(Encoded("waiting").text()), "waiting");
  EXPECT_EQ(code_in(""), "");
}

TEST(SentenceWriter, WritesWhatTheProgramWrites) {
  Encoded inner("at"), outer("queue.closed");
  inner.with("line", "a.py:3");
  outer.with("count", uint64_t{12}).with("where", inner);
  EXPECT_EQ(
      sentence("queue.closed", {{"count", 12}, {"where", sentence("at", {{"line", "a.py:3"}})}}),
      outer.text());
}

TEST(SentenceWriter, LeavesOutWhatIsEmpty) {
  EXPECT_EQ(sentence("x", {{"at", ""}, {"name", 0}}), "\x02x\x1fname=0\x03");
}

TEST(SentenceWriter, AValueThatWasCutTakesNothingAlong) {
  std::string text = sentence("x", {{"why", "\x02y\x1fline=3"}, {"count", 2}});
  SentenceParts parts = read_sentence(text);
  EXPECT_EQ(parts["count"], "2");
  EXPECT_EQ(read_sentence(parts["why"])["line"], "3");
}

TEST(SentenceWriter, StraySeparatorsBecomeSpaces) {
  std::string text = sentence("x", {{"name", "a\x03\x1fz"}, {"count", 2}});
  EXPECT_EQ(read_sentence(text)["name"], "a  z");
  EXPECT_EQ(read_sentence(text)["count"], "2");
}

}  // namespace
}  // namespace tenure
