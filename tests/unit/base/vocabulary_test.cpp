// tests/unit/base/vocabulary_test.cpp: words of the closed sets, from their codes and back.
#include "base/vocabulary.h"

#include <gtest/gtest.h>

namespace tenure {
namespace {

TEST(Vocabulary, EveryKindIsFoundByItsCode) {
  for (std::size_t i = 0; i < kKindCount; ++i) {
    auto kind = static_cast<Kind>(i);
    EXPECT_EQ(kind_from(code(kind)), kind);
  }
}

TEST(Vocabulary, CodesAreThoseOfTheContract) {
  EXPECT_STREQ(code(Kind::closed_session), "closed-session");
  EXPECT_STREQ(code(PlaceRole::made_at), "made at");
  EXPECT_STREQ(code(Verdict::lifetime_error), "lifetime-error");
  EXPECT_STREQ(code(Loss::untracked_birth), "untracked_births");
}

TEST(Vocabulary, AWordThatIsNotOfTheSetIsNothing) {
  EXPECT_EQ(kind_from("closed session"), std::nullopt);
  EXPECT_EQ(severity_from(""), std::nullopt);
}

TEST(Vocabulary, ANumberThatNoWordHasIsEmpty) {
  EXPECT_STREQ(code(static_cast<BlockKind>(200)), "");
}

TEST(Vocabulary, KindsKnowTheirGroup) {
  EXPECT_EQ(group_of(Kind::graph_growth), KindGroup::growth);
  EXPECT_EQ(group_of(Kind::shared_memory), KindGroup::growth);
  EXPECT_EQ(group_of(Kind::closed_session), KindGroup::lifetime);
  EXPECT_EQ(group_of(Kind::out_of_bounds), KindGroup::lifetime);
  EXPECT_EQ(group_of(Kind::out_of_memory), KindGroup::death);
}

}  // namespace
}  // namespace tenure
