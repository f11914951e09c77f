// tests/unit/territory/warm_spans_test.cpp: which spans wait for the next block, and for how long. No memory is mapped.
#include "inproc/territory/warm_spans.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <new>
#include <vector>

#include "inproc/os/spin_lock.h"

namespace tenure::inproc {
namespace {

constexpr size_t kMiB = 1 << 20;
constexpr uint64_t kSecond = 1'000'000'000;

class WarmSpansTest : public ::testing::Test {
 public:
  Span* span(size_t bytes) {
    spans_.push_back(std::make_unique<Span>());
    spans_.back()->bytes = bytes;
    return spans_.back().get();
  }
  // Its block lived and ended at `now`.
  Span* ended(Span* s, uint64_t now) {
    warm_.went_live(s->bytes);
    warm_.ended(s->bytes);
    EXPECT_TRUE(warm_.keep(s, now));
    return s;
  }
  Span* ended(size_t bytes, uint64_t now = kSecond) { return ended(span(bytes), now); }
  WarmSpans warm_;
  std::vector<std::unique_ptr<Span>> spans_;
};

TEST_F(WarmSpansTest, TheLastFreedSpanOfASizeIsTakenFirst) {
  Span* first = ended(kMiB);
  Span* second = ended(kMiB);
  EXPECT_EQ(warm_.waiting_bytes(), 2 * kMiB);
  EXPECT_EQ(warm_.take(kMiB), second);
  EXPECT_EQ(warm_.take(kMiB), first);
  EXPECT_EQ(warm_.take(kMiB), nullptr);
  EXPECT_EQ(warm_.waiting_bytes(), 0u);
}

TEST_F(WarmSpansTest, NoBlockGetsASpanThatIsTooSmallOrMuchTooLarge) {
  ended(kMiB);
  EXPECT_EQ(warm_.take(kMiB + 4096), nullptr);
  EXPECT_EQ(warm_.take(kMiB / 2), nullptr);
  EXPECT_NE(warm_.take(kMiB - kMiB / 20), nullptr);
}

TEST_F(WarmSpansTest, ABlockThatGrowsMayGetALargerSpan) {
  Span* large = ended(kMiB);
  Span* small = ended(kMiB / 4);
  EXPECT_EQ(warm_.take(kMiB / 4, kMiB / 2), small);
  EXPECT_EQ(warm_.take(kMiB / 4, kMiB / 2), nullptr);
  EXPECT_EQ(warm_.take(kMiB / 4, kMiB), large);
}

TEST_F(WarmSpansTest, TogetherTheyStayBelowWhatWasLiveAtOnce) {
  constexpr size_t kBytes = 8 * kMiB;
  for (int i = 0; i < 10; ++i) warm_.went_live(kBytes);
  for (int i = 0; i < 10; ++i) {
    warm_.ended(kBytes);
    ASSERT_TRUE(warm_.keep(span(kBytes), kSecond));
  }
  EXPECT_EQ(warm_.too_much(kSecond, 0), nullptr);
  // Fresh blocks of another size take their place: only the slack may be on top.
  int gone = 0;
  for (int i = 0; i < 10; ++i) {
    while (warm_.too_much(kSecond, kBytes * 2)) ++gone;
    warm_.went_live(kBytes * 2);
  }
  EXPECT_EQ(warm_.waiting_bytes(), WarmSpans::kSlack);
  EXPECT_EQ(gone, 10 - static_cast<int>(WarmSpans::kSlack / kBytes));
}

TEST_F(WarmSpansTest, WhoWaitedTooLongGoesOldestFirst) {
  Span* old = ended(kMiB, kSecond);
  ended(2 * kMiB, 5 * kSecond);
  uint64_t late = kSecond + WarmSpans::kPatienceNs;
  EXPECT_EQ(warm_.too_much(late - 1, 0), nullptr);
  EXPECT_EQ(warm_.too_much(late, 0), old);
  EXPECT_EQ(warm_.too_much(late, 0), nullptr);
}

// One block of terabytes, hardly touched, must not allow as much to be kept.
TEST_F(WarmSpansTest, AGiantIsNeitherKeptNorAMeasure) {
  Span* giant = span(WarmSpans::kLargest + 4096);
  warm_.went_live(giant->bytes);
  EXPECT_EQ(warm_.mapped_bytes(), giant->bytes);
  ended(kMiB);
  EXPECT_EQ(warm_.too_much(kSecond, 0), nullptr);
  warm_.ended(giant->bytes);
  EXPECT_FALSE(warm_.keep(giant, kSecond));
  for (size_t i = 0; i <= WarmSpans::kSlack / kMiB; ++i) ended(kMiB);
  EXPECT_NE(warm_.too_much(kSecond, 0), nullptr);
}

TEST_F(WarmSpansTest, EverySizeHasABinOfItsOwnOrderOfMagnitude) {
  uint32_t last = 0;
  for (size_t bytes = WarmSpans::kSmallest; bytes <= WarmSpans::kLargest; bytes += bytes / 64) {
    uint32_t bin = WarmSpans::bin_of(bytes);
    ASSERT_TRUE(bin == last || bin == last + 1) << bytes;
    last = bin;
  }
}

// Real memory: the rest has its head behind the front.
class CutSpanTest : public WarmSpansTest {
 public:
  Span* large(size_t bytes, uint64_t now = kSecond) {
    memory_.push_back(std::make_unique<std::byte[]>(bytes));
    Span* s = new (memory_.back().get()) Span{};
    s->bytes = bytes;
    return ended(s, now);
  }
  std::vector<std::unique_ptr<std::byte[]>> memory_;
};

TEST_F(CutSpanTest, ALargerOneIsCutWhereItWouldHaveToGo) {
  constexpr size_t kBytes = 40 * kMiB;
  Span* whole = large(64 * kMiB);
  EXPECT_EQ(warm_.cut(4 * kMiB), nullptr);  // a fresh one has room beside it
  Span* front = warm_.cut(kBytes);
  ASSERT_EQ(front, whole);
  EXPECT_EQ(front->bytes, kBytes);
  warm_.went_live(kBytes);
  EXPECT_EQ(warm_.waiting_bytes(), 24 * kMiB);
  Span* rest = warm_.take(24 * kMiB);
  ASSERT_NE(rest, nullptr);
  EXPECT_EQ(rest->start(), front->end());
  EXPECT_EQ(warm_.waiting_bytes(), 0u);
}

TEST_F(CutSpanTest, TheRestIsAsOldAsTheWholeWas) {
  large(64 * kMiB, kSecond);
  large(40 * kMiB, 5 * kSecond);
  ASSERT_NE(warm_.cut(30 * kMiB), nullptr);
  uint64_t late = kSecond + WarmSpans::kPatienceNs;
  Span* oldest = warm_.too_much(late, 0);
  ASSERT_NE(oldest, nullptr);
  EXPECT_EQ(oldest->bytes, 34 * kMiB);
  EXPECT_EQ(warm_.too_much(late, 0), nullptr);
  EXPECT_NE(warm_.take(40 * kMiB), nullptr);
}

TEST_F(CutSpanTest, NoneIsCutThatIsTooSmallOrWouldLeaveCrumbs) {
  large(33 * kMiB);
  large(35 * kMiB);
  EXPECT_EQ(warm_.cut(36 * kMiB), nullptr);
  EXPECT_EQ(warm_.cut(35 * kMiB - 4096), nullptr);
  EXPECT_NE(warm_.cut(34 * kMiB), nullptr);
}

}  // namespace
}  // namespace tenure::inproc
