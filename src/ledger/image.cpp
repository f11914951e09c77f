#include "ledger/image.h"

#include <zstd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>

#define XXH_INLINE_ALL
#include <fmt/core.h>
#include <xxhash.h>

#include "ledger/record_file.h"
#include "ledger/snapshot_layout.h"
#include "ledger/writer.h"

namespace tenure::ledger {

// A bigger claim is damage, not a ledger or a heap of 20 million objects.
const ImageFormat kLedgerImage{kFileMagic, kVersion, "ledger", sizeof(Header), 128u << 20};
const ImageFormat kSnapshotImage{kSnapshotMagic, kSnapshotVersion, "snapshot",
                                 sizeof(SnapshotHeader), 2ull << 30};

namespace {

uint64_t padded(uint64_t n) { return (n + 7) / 8 * 8; }

// As the header of a running program said it once: the next look may find something else.
struct UsedTable {
  uint64_t offset, bytes;
  uint32_t used;

  bool is_inside() const {
    return offset <= reserved_bytes() && bytes <= reserved_bytes() - offset;
  }
};

UsedTable used_table(const TableInfo& live, uint32_t record_bytes) {
  const uint32_t used = live.used.load(std::memory_order_acquire);
  return {live.offset, uint64_t{used} * record_bytes, used};
}

std::vector<char> rest_of(std::ifstream& file) {
  constexpr size_t kPiece = 1 << 20;
  std::vector<char> bytes;
  for (size_t n = 0;; n += kPiece) {
    bytes.resize(n + kPiece);
    if (file.read(bytes.data() + n, kPiece)) continue;
    bytes.resize(n + static_cast<size_t>(file.gcount()));
    return bytes;
  }
}

Result<bool> check_header(const FileHeader& h, const std::string& path, size_t file_bytes,
                          const ImageFormat& format) {
  if (std::memcmp(h.magic, format.magic, sizeof h.magic) != 0)
    return Error{fmt::format("{} is not a {} of Tenure", path, format.what), 2};
  if (h.version != format.version) {
    return Error{fmt::format("{} was written by another version of Tenure (format {}, this one "
                             "reads {}): use that version to read it",
                             path, h.version, format.version),
                 2};
  }
  if (h.architecture != kArchitecture) {
    return Error{fmt::format("{} was recorded on another kind of machine (ELF machine {}, this is "
                             "{}): read it there",
                             path, h.architecture, kArchitecture),
                 2};
  }
  if (h.packed_bytes + sizeof h != file_bytes || h.raw_bytes > format.most_raw_bytes ||
      h.raw_bytes < format.least_raw_bytes) {
    return Error{fmt::format("{} is damaged: it is {} bytes long and should be {}", path,
                             file_bytes, h.packed_bytes + sizeof h),
                 2};
  }
  return true;
}

}  // namespace

std::vector<char> copy_used(const void* memory) {
  const char* base = static_cast<const char*>(memory);
  const Header& live = *static_cast<const Header*>(memory);
  UsedTable tables[kTableCount];
  uint64_t at = padded(sizeof(Header));
  for (uint32_t t = 0; t < kTableCount; ++t) {
    tables[t] = used_table(live.tables[t], kRecordBytes[t]);
    if (!tables[t].is_inside()) return {};
    at += padded(tables[t].bytes);
  }
  // Appended and not filled in: no byte is written twice.
  std::vector<char> raw;
  raw.reserve(at);
  raw.insert(raw.end(), base, base + sizeof(Header));
  raw.resize(padded(sizeof(Header)));
  auto* header = reinterpret_cast<Header*>(raw.data());
  for (uint32_t t = 0; t < kTableCount; ++t) {
    const char* table = base + tables[t].offset;
    header->tables[t].offset = raw.size();
    header->tables[t].used.store(tables[t].used, std::memory_order_relaxed);
    raw.insert(raw.end(), table, table + tables[t].bytes);
    raw.resize(padded(raw.size()));
  }
  return raw;
}

std::span<const Site> sites_in(const void* memory) {
  const TableInfo& live =
      static_cast<const Header*>(memory)->tables[static_cast<uint32_t>(TableId::sites)];
  const UsedTable table = used_table(live, sizeof(Site));
  if (!table.is_inside() || table.offset % alignof(Site) != 0) return {};
  const char* base = static_cast<const char*>(memory);
  return {reinterpret_cast<const Site*>(base + table.offset), table.used};
}

Result<bool> write_image(const std::string& path, const std::vector<char>& raw,
                         const ImageFormat& format) {
  // Not zeroed: little of it is used, and a page that nobody writes to costs nothing.
  const size_t room = ZSTD_compressBound(raw.size());
  const auto packed = std::make_unique_for_overwrite<char[]>(room);
  size_t n = ZSTD_compress(packed.get(), room, raw.data(), raw.size(), 1);
  if (ZSTD_isError(n))
    return Error{fmt::format("cannot compress {}: {}", path, ZSTD_getErrorName(n)), 2};
  FileHeader h{};
  std::memcpy(h.magic, format.magic, sizeof h.magic);
  h.version = format.version;
  h.architecture = kArchitecture;
  h.packed_bytes = n;
  h.raw_bytes = raw.size();
  h.checksum = XXH64(raw.data(), raw.size(), 0);
  const std::string_view pieces[] = {{reinterpret_cast<const char*>(&h), sizeof h},
                                     {packed.get(), n}};
  return write_record_file(path, pieces);
}

Result<std::vector<char>> read_image(const std::string& path, const ImageFormat& format) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Error{fmt::format("cannot read {}: {}", path, std::strerror(errno)), 2};
  std::vector<char> bytes = rest_of(file);
  FileHeader h;
  if (bytes.size() < sizeof h)
    return Error{fmt::format("{} is damaged: it is only {} bytes long", path, bytes.size()), 2};
  std::memcpy(&h, bytes.data(), sizeof h);
  Result<bool> good = check_header(h, path, bytes.size(), format);
  if (!good) return good.error();
  std::vector<char> raw(h.raw_bytes);
  size_t n = ZSTD_decompress(raw.data(), raw.size(), bytes.data() + sizeof h, h.packed_bytes);
  if (ZSTD_isError(n) || n != raw.size() || XXH64(raw.data(), raw.size(), 0) != h.checksum) {
    return Error{
        fmt::format(
            "{} is damaged: its checksum does not fit; run the program again to record it anew",
            path),
        2};
  }
  return raw;
}

}  // namespace tenure::ledger
