// tests/unit/report/sentences_test.cpp: codes and parameters in, English out.
#include "report/sentences.h"

#include <gtest/gtest.h>

#include "base/sentence.h"
#include "base/sentence_writer.h"

namespace tenure::report {
namespace {

using Encoded = EncodedSentence<400>;

Encoded sessions_of(const char* name) {
  Encoded sentence("tf.closed_session.holder");
  sentence.with("name", name);
  return sentence;
}

TEST(Sentences, PlainTextIsLeftAsItIs) {
  EXPECT_EQ(rendered("global list `losses` of {main}"), "global list `losses` of {main}");
  EXPECT_EQ(rendered(""), "");
}

TEST(Sentences, ParametersTakeTheirPlaces) {
  Encoded why("tf.closed_session.closed");
  why.with("line", "serve.py:14");
  EXPECT_EQ(rendered(why.text()), "close() at serve.py:14 ended it, and it is used after that");
}

TEST(Sentences, MayHoldOthers) {
  Encoded size("bytes.many");
  size.with("count", uint64_t{64});
  Encoded title("guarded.read_freed.title");
  title.with("byte", uint64_t{8}).with("size", size);
  EXPECT_EQ(rendered(title.text()), "byte 8 of a freed block of 64 bytes was read");
}

TEST(Sentences, StandBesidePlainWords) {
  std::string text = std::string("it is ") + Encoded("waiting").text() + "; the same twice";
  EXPECT_EQ(rendered(text), "it is waiting for an element; the same twice");
}

TEST(Sentences, AParameterThatWasNotSentLeavesItsPlaceEmpty) {
  Encoded why("streams.closed.why");
  why.with("type", "FileIO");
  EXPECT_EQ(rendered(why.text()), "this FileIO was closed, and it is used once more");
}

TEST(Sentences, BracesInAParameterStayBraces) {
  EXPECT_EQ(rendered(sessions_of("`d['{line}']`").text()), "session `d['{line}']`");
}

TEST(Sentences, OfAnUnknownCodeTheParametersAreShown) {
  Encoded newer("tf.of.a.later.version");
  newer.with("line", "serve.py:14").with("name", sessions_of("`s`"));
  EXPECT_EQ(rendered(newer.text()), "serve.py:14, session `s`");
  EXPECT_EQ(rendered(Encoded("tf.nothing").text()), "tf.nothing");
}

TEST(Sentences, DamagedOnesEnd) {
  EXPECT_EQ(rendered("\x02tf.closed_session.holder\x1fname=`se"), "session `se");
  std::string deep(100'000, kSentenceBegin);
  EXPECT_EQ(rendered(deep), "");
}

TEST(Sentences, WhatIsOptionalIsLeftOutWhereItDoesNotFit) {
  auto place = [](size_t length) {
    std::string held = sentence("holder.held_by", {{"by", std::string(length, 'h')}});
    return rendered(sentence("holder.place", {{"name", std::string(100, 'n')}, {"held", held}}));
  };
  EXPECT_EQ(place(49), std::string(100, 'n') + ", held by " + std::string(49, 'h'));
  EXPECT_EQ(place(51), std::string(100, 'n'));
}

TEST(Sentences, OnesThatAreTooLongEndInAnEllipsis) {
  std::string text = rendered(sentence("holder.fitted", {{"text", std::string(200, 'n')}}));
  EXPECT_EQ(text, std::string(157, 'n') + "…");
}

TEST(HolderText, NamesWhoKeepsTheHolder) {
  EXPECT_EQ(holder_text({sessions_of("`s`").text(), {}, "global list `all`"}),
            "session `s`, kept by global list `all`");
}

TEST(HolderText, KeepsTheOneWithANameWhereBothDoNotFit) {
  std::string keeper = "global list `" + std::string(140, 'x') + "`";
  EXPECT_EQ(holder_text({sessions_of("`a name of its own`").text(), {}, keeper}),
            "session `a name of its own`");
  EXPECT_EQ(holder_text({Encoded("tf.graph_pile.holder").text(), {}, keeper}), keeper);
}

TEST(HolderText, IsAtMost160Characters) {
  std::string text = holder_text({sessions_of(std::string(300, 'x').c_str()).text(), {}, ""});
  EXPECT_EQ(text, "session " + std::string(151, 'x') + "…");
}

}  // namespace
}  // namespace tenure::report
