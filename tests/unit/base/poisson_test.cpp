// tests/unit/base/poisson_test.cpp: the mathematics of sampling, against libm and against the law of large numbers.
#include "base/poisson.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tenure {
namespace {

TEST(Poisson, NaturalLogIsThatOfLibm) {
  for (double x = 1e-12; x < 1e12; x *= 1.0173) {
    EXPECT_NEAR(natural_log(x), std::log(x), 1e-12 * std::max(1.0, std::abs(std::log(x)))) << x;
  }
  EXPECT_DOUBLE_EQ(natural_log(1), 0);
}

TEST(Poisson, OneMinusExpIsThatOfLibm) {
  for (double x = 1e-9; x < 200; x *= 1.0311) {
    EXPECT_NEAR(one_minus_exp(x), -std::expm1(-x), 1e-14 + 1e-12 * -std::expm1(-x)) << x;
  }
  EXPECT_DOUBLE_EQ(one_minus_exp(0), 0);
}

TEST(Poisson, ProbabilitiesAreOnesAndShares) {
  EXPECT_NEAR(sample_probability(32 << 10, 32 << 10), 1 - std::exp(-1), 1e-12);
  EXPECT_NEAR(sample_probability(1, 32 << 10), 1.0 / (32 << 10), 1e-9);
  EXPECT_GT(sample_probability(1 << 20, 32 << 10), 0.999999);
}

TEST(Poisson, UnitsAreInTheOpenZeroToOne) {
  Random random(7);
  double sum = 0;
  for (int i = 0; i < 100000; ++i) {
    double u = random.unit();
    ASSERT_GT(u, 0);
    ASSERT_LE(u, 1);
    sum += u;
  }
  EXPECT_NEAR(sum / 100000, 0.5, 0.005);
}

TEST(Poisson, GapsHaveTheMeanAskedForAndAreMemoryless) {
  Random random(42);
  const uint32_t mean = 32 << 10;
  const int n = 200000;
  double sum = 0, beyond = 0;
  for (int i = 0; i < n; ++i) {
    auto gap = static_cast<double>(random.gap(mean));
    ASSERT_GE(gap, 1);
    sum += gap;
    beyond += gap > mean;
  }
  EXPECT_NEAR(sum / n, mean, 5 * mean / std::sqrt(n));
  EXPECT_NEAR(beyond / n, std::exp(-1), 0.005);
}

TEST(Poisson, AZeroSeedIsAsGoodAsAny) {
  Random random(0);
  EXPECT_NE(random.next(), random.next());
}

}  // namespace
}  // namespace tenure
