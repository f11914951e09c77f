// tests/unit/ledger/image_test.cpp: images on disk: the round trip, and every kind of damage as a sentence.
#include "ledger/image.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#include "ledger/reader.h"
#include "memory_ledger.h"

namespace tenure::ledger {
namespace {

class LedgerImage : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("tenure-image-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
    path_ = (folder_ / "ledger.1").string();
    for (uint32_t i = 1; i <= 50; ++i) {
      Site& site = ledger_.add<Site>(TableId::sites);
      site.births = i;
      site.live_bytes = i * 1000;
    }
    ledger_.writer().header().tick.store(77);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::vector<char> file_bytes() const {
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }
  void write_bytes(const std::vector<char>& bytes) const {
    std::ofstream(path_, std::ios::binary).write(bytes.data(), static_cast<long>(bytes.size()));
  }

  std::filesystem::path folder_;
  std::string path_;
  MemoryLedger ledger_;
};

TEST_F(LedgerImage, HoldsTheUsedPartOnly) {
  std::vector<char> raw = copy_used(ledger_.memory());
  EXPECT_LT(raw.size(), 51 * sizeof(Site) + sizeof(Header) + 8 * sizeof(Series));
}

// The program that writes it may overwrite it as well.
TEST_F(LedgerImage, NothingIsCopiedFromOutsideOfTheLedger) {
  TableInfo& table = ledger_.writer().header().tables[static_cast<size_t>(TableId::sites)];
  const uint64_t offset = table.offset;
  for (uint64_t bad : {reserved_bytes(), reserved_bytes() + 8, ~uint64_t{0}, uint64_t{1} << 63}) {
    table.offset = bad;
    EXPECT_TRUE(copy_used(ledger_.memory()).empty()) << bad;
  }
  table.offset = offset;
  EXPECT_FALSE(copy_used(ledger_.memory()).empty());
  table.used.store(~uint32_t{0});
  EXPECT_TRUE(copy_used(ledger_.memory()).empty());
}

TEST_F(LedgerImage, ComesBackAsItWas) {
  std::vector<char> raw = copy_used(ledger_.memory());
  ASSERT_TRUE(write_image(path_, raw));
  Result<std::vector<char>> back = read_image(path_);
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(*back, raw);
  Result<Reader> reader = Reader::open(path_);
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->header().tick.load(), 77u);
  ASSERT_EQ(reader->sites().size(), 51u);
  EXPECT_EQ(reader->sites()[50].live_bytes, 50000u);
}

TEST_F(LedgerImage, ReplacesTheOlderOneWhole) {
  ASSERT_TRUE(write_image(path_, copy_used(ledger_.memory())));
  ledger_.add<Site>(TableId::sites);
  ASSERT_TRUE(write_image(path_, copy_used(ledger_.memory())));
  EXPECT_EQ(Reader::open(path_)->sites().size(), 52u);
  EXPECT_FALSE(std::filesystem::exists(path_ + ".new"));
}

TEST_F(LedgerImage, ThatCannotBeWrittenLeavesTheOlderOne) {
  ASSERT_TRUE(write_image(path_, copy_used(ledger_.memory())));
  Result<bool> written = write_image((folder_ / "no" / "such").string(), {});
  ASSERT_FALSE(written);
  EXPECT_NE(written.error().message.find("cannot write"), std::string::npos);
  EXPECT_TRUE(Reader::open(path_));
}

TEST_F(LedgerImage, ThatIsCutOffIsDamagedAtEveryLength) {
  ASSERT_TRUE(write_image(path_, copy_used(ledger_.memory())));
  const std::vector<char> whole = file_bytes();
  for (size_t length = 0; length < whole.size(); length += 1 + length / 7) {
    write_bytes({whole.begin(), whole.begin() + static_cast<long>(length)});
    Result<Reader> reader = Reader::open(path_);
    ASSERT_FALSE(reader) << length;
    EXPECT_EQ(reader.error().exit_code, 2);
  }
}

// A bit that the compression does not use may flip: then nothing is lost.
TEST_F(LedgerImage, WithAFlippedBitIsRefusedWithASentenceOrUnharmed) {
  const std::vector<char> raw = copy_used(ledger_.memory());
  ASSERT_TRUE(write_image(path_, raw));
  const std::vector<char> whole = file_bytes();
  std::mt19937 random(3);
  int refused = 0;
  for (int i = 0; i < 300; ++i) {
    std::vector<char> damaged = whole;
    size_t at = i < 40 ? static_cast<size_t>(i) : random() % damaged.size();
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << random() % 8));
    write_bytes(damaged);
    Result<std::vector<char>> back = read_image(path_);
    if (back) {
      EXPECT_EQ(*back, raw) << at;
    } else {
      ++refused;
      EXPECT_NE(back.error().message.find(path_), std::string::npos);
    }
  }
  EXPECT_GE(refused, 280);
}

TEST_F(LedgerImage, OfAnotherVersionOrMachineSaysWhatToDo) {
  ASSERT_TRUE(write_image(path_, copy_used(ledger_.memory())));
  std::vector<char> other = file_bytes();
  auto* header = reinterpret_cast<FileHeader*>(other.data());
  header->version = kVersion + 1;
  write_bytes(other);
  EXPECT_NE(Reader::open(path_).error().message.find("another version"), std::string::npos);
  header->version = kVersion;
  header->architecture = 40;
  write_bytes(other);
  EXPECT_NE(Reader::open(path_).error().message.find("another kind of machine"), std::string::npos);
}

TEST_F(LedgerImage, ThatClaimsToBeHugeIsNotBelieved) {
  ASSERT_TRUE(write_image(path_, copy_used(ledger_.memory())));
  std::vector<char> other = file_bytes();
  reinterpret_cast<FileHeader*>(other.data())->raw_bytes = 1ull << 60;
  write_bytes(other);
  EXPECT_FALSE(Reader::open(path_));
}

TEST_F(LedgerImage, ThatIsNoneAtAllSaysSo) {
  write_bytes(std::vector<char>(200, 'x'));
  EXPECT_NE(Reader::open(path_).error().message.find("is not a ledger"), std::string::npos);
  EXPECT_FALSE(Reader::open((folder_ / "missing").string()));
}

}  // namespace
}  // namespace tenure::ledger
