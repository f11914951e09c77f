// tests/unit/analyze/copied_pages_test.cpp: what looks at a forked process tell: copies, its own memory, pages given back.
#include "analyze/growth/copied_pages.h"

#include <gtest/gtest.h>

namespace tenure::analyze {
namespace {

constexpr uint64_t kMiB = 1 << 20;

// A worker that has inherited 200 MiB.
class Worker {
 public:
  Worker() { look(); }

  void copy(uint64_t mib) {
    now_.own += mib * kMiB;
    now_.shared -= mib * kMiB;
    fault(mib);
  }
  void make(uint64_t mib) {
    now_.own += mib * kMiB;
    now_.anonymous += mib * kMiB;
    fault(mib);
  }
  void give_back_inherited(uint64_t mib) {
    now_.shared -= mib * kMiB;
    now_.anonymous -= mib * kMiB;
  }
  // Another process that shared these pages has ended, or shares them from now on.
  void let_go_by_others(uint64_t mib) {
    now_.own += mib * kMiB;
    now_.shared -= mib * kMiB;
  }
  void share_anew() {
    now_.shared += now_.own;
    now_.own = 0;
  }
  void look() { moments_.push_back(now_); }
  CopiedPages copied() const { return copied_pages(moments_); }

 private:
  void fault(uint64_t mib) { now_.faults += mib * kMiB / 4096; }

  record::PageMoment now_{
      .tick = 1, .own = 0, .shared = 200 * kMiB, .anonymous = 200 * kMiB, .faults = 100};
  std::vector<record::PageMoment> moments_;
};

TEST(CopiedPages, WhatIsCopiedLookByLookIsGradual) {
  Worker worker;
  for (int i = 0; i < 10; ++i) {
    worker.copy(4);
    worker.look();
  }
  EXPECT_EQ(worker.copied().bytes, 40 * kMiB);
  EXPECT_TRUE(worker.copied().is_gradual);
}

TEST(CopiedPages, MemoryOfItsOwnIsNoCopy) {
  Worker worker;
  for (int i = 0; i < 10; ++i) {
    worker.make(4);
    worker.look();
  }
  EXPECT_EQ(worker.copied().bytes, 0u);
}

TEST(CopiedPages, WhatIsGivenBackIsNoCopy) {
  Worker worker;
  for (int i = 0; i < 10; ++i) {
    worker.give_back_inherited(4);
    worker.look();
  }
  EXPECT_EQ(worker.copied().bytes, 0u);
}

TEST(CopiedPages, WhatOthersLetGoOfIsNoCopy) {
  Worker worker;
  for (int i = 0; i < 10; ++i) {
    worker.let_go_by_others(4);
    worker.look();
  }
  EXPECT_EQ(worker.copied().bytes, 0u);
}

TEST(CopiedPages, AtOnceIsABurst) {
  Worker worker;
  for (int i = 0; i < 10; ++i) {
    worker.copy(i == 3 ? 60 : 1);
    worker.look();
  }
  EXPECT_FALSE(worker.copied().is_gradual);
}

TEST(CopiedPages, PagesThatASnapshotSharesAnewAreCountedOnce) {
  Worker worker;
  for (int i = 0; i < 12; ++i) {
    if (i % 4 == 0) worker.share_anew();
    worker.copy(4);
    worker.look();
  }
  EXPECT_EQ(worker.copied().bytes, 16 * kMiB);
  EXPECT_TRUE(worker.copied().is_gradual);
}

}  // namespace
}  // namespace tenure::analyze
