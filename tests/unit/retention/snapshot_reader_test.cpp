// Snapshots as bytes: what was written is read; whatever is damaged is an error, never a crash.
#include "ledger/snapshot_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <numeric>
#include <random>

#include "analyze/heap/holder_text.h"
#include "analyze/heap/retention.h"
#include "ledger/image.h"
#include "report/sentences.h"
#include "snapshot_builder.h"

namespace tenure::analyze {
namespace {

using ledger::Snapshot;
using testing::HasSubstr;

SnapshotBuilder small_heap() {
  SnapshotBuilder b;
  uint32_t garbage = b.root(ledger::NodeKind::garbage_root), node = b.object("m.Node");
  b.edge(garbage, node, "");
  b.edge(node, node, ".self");
  b.edge(node, b.array(), ".data");
  uint32_t globals = b.module("__main__"), list = b.container("list", 9),
           cache = b.container("dict", 9);
  b.edge(globals, list, "['losses']");
  b.edge(globals, cache, "['cache']");
  b.fill(list, 5);
  for (int i = 0; i < 4; ++i) {
    uint32_t array = b.array(5000);
    b.edge(list, array, "[7]");
    b.edge(cache, array, "[8]");
  }
  return b;
}

// Asks everything there is to ask.
void use(const Snapshot& snapshot) {
  HeapGraph heap(snapshot);
  std::vector<uint32_t> all(snapshot.buffers().size());
  std::iota(all.begin(), all.end(), 0);
  for (const Retention& r : holders_of(heap, all, 0.01)) {
    EXPECT_LE(report::rendered(say_holder(heap, r, "train.py").text).size(), 160u);
    fix_of_holder(heap, r);
    why_held(heap, r);
  }
}

TEST(SnapshotReader, ReadsWhatWasWritten) {
  Snapshot snapshot = small_heap().snapshot();
  EXPECT_EQ(snapshot.buffers().size(), 10u);
  EXPECT_EQ(snapshot.kind(0), ledger::NodeKind::super_root);
  EXPECT_EQ(snapshot.type_name(2), "m.Node");
  EXPECT_EQ(snapshot.string(snapshot.labels(2)[0]), ".self");
  use(snapshot);
}

TEST(SnapshotReader, ReadsAFileAndNoticesDamageToIt) {
  std::string path = testing::TempDir() + "snapshot_reader_test." + std::to_string(getpid());
  ASSERT_TRUE(ledger::write_image(path, small_heap().bytes(), ledger::kSnapshotImage));
  EXPECT_TRUE(Snapshot::open(path));
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 1);
  auto damaged = Snapshot::open(path);
  ASSERT_FALSE(damaged);
  EXPECT_THAT(damaged.error().message, HasSubstr("is damaged"));
  ASSERT_TRUE(ledger::write_image(path, small_heap().bytes()));
  auto ledger = Snapshot::open(path);
  ASSERT_FALSE(ledger);
  EXPECT_THAT(ledger.error().message, HasSubstr("is not a snapshot of Tenure"));
  std::filesystem::remove(path);
}

TEST(SnapshotReader, EveryShorterFileIsAnErrorOrHarmless) {
  std::vector<char> whole = small_heap().bytes();
  for (size_t size = 0; size < whole.size(); ++size) {
    auto snapshot = Snapshot::from_bytes({whole.begin(), whole.begin() + static_cast<long>(size)},
                                         "snapshot.1.1");
    if (snapshot)
      use(*snapshot);
    else
      EXPECT_THAT(snapshot.error().message, HasSubstr("snapshot.1.1 is damaged"));
  }
}

TEST(SnapshotReader, AnyChangedBytesAreAnErrorOrHarmless) {
  const std::vector<char> whole = small_heap().bytes();
  std::mt19937 random(1);
  int refused = 0;
  for (int round = 0; round < 20000; ++round) {
    std::vector<char> bytes = whole;
    for (uint32_t n = 1 + random() % 4; n > 0; --n) {
      size_t at = random() % bytes.size();
      bytes[at] = static_cast<char>(random() % 3 ? random() % 256 : 0xff);
    }
    auto snapshot = Snapshot::from_bytes(std::move(bytes), "snapshot.1.1");
    refused += !snapshot;
    if (snapshot) use(*snapshot);
  }
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace tenure::analyze
