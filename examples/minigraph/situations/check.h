// situations/check.h: a situation asserts its own truth: it ends with 1, and says why, when something else happens.
#pragma once
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

inline void expect(bool is_true, const char* what) {
  if (is_true) return;
  std::fprintf(stderr, "not so: %s\n", what);
  std::exit(1);
}

inline void expect_near(const std::vector<float>& values, const std::vector<float>& wanted,
                        const char* what) {
  expect(values.size() == wanted.size(), what);
  for (std::size_t i = 0; i < values.size(); ++i)
    expect(std::abs(values[i] - wanted[i]) < 1e-3F, what);
}
