#include "ledger/image.h"

#include <fcntl.h>
#include <unistd.h>
#include <zstd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#define XXH_INLINE_ALL
#include <fmt/core.h>
#include <xxhash.h>

#include "ledger/snapshot_layout.h"

namespace tenure::ledger {

// A bigger claim is damage, not a ledger or a heap of 20 million objects.
const ImageFormat kLedgerImage{kFileMagic, kVersion, "ledger", sizeof(Header), 128u << 20};
const ImageFormat kSnapshotImage{kSnapshotMagic, kSnapshotVersion, "snapshot",
                                 sizeof(SnapshotHeader), 2ull << 30};

namespace {

uint64_t padded(uint64_t n) { return (n + 7) / 8 * 8; }

Error cannot(const std::string& path, const char* what) {
  return {fmt::format("cannot {} {}: {}", what, path, std::strerror(errno)), 2};
}

bool write_all(int fd, const void* data, size_t bytes) {
  const char* at = static_cast<const char*>(data);
  while (bytes > 0) {
    ssize_t n = ::write(fd, at, bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n;
    bytes -= static_cast<size_t>(n);
  }
  return true;
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
  Header const& live = *static_cast<const Header*>(memory);
  uint32_t used[kTableCount];
  uint64_t offsets[kTableCount];
  uint64_t at = padded(sizeof(Header));
  for (uint32_t t = 0; t < kTableCount; ++t) {
    used[t] = live.tables[t].used.load(std::memory_order_acquire);
    offsets[t] = at;
    at += padded(uint64_t{used[t]} * live.tables[t].record_bytes);
  }
  std::vector<char> raw(at);
  std::memcpy(raw.data(), base, sizeof(Header));
  auto* header = reinterpret_cast<Header*>(raw.data());
  for (uint32_t t = 0; t < kTableCount; ++t) {
    std::memcpy(raw.data() + offsets[t], base + live.tables[t].offset,
                uint64_t{used[t]} * live.tables[t].record_bytes);
    header->tables[t].offset = offsets[t];
    header->tables[t].used.store(used[t], std::memory_order_relaxed);
  }
  return raw;
}

Result<bool> write_image(const std::string& path, const std::vector<char>& raw,
                         const ImageFormat& format) {
  std::vector<char> packed(ZSTD_compressBound(raw.size()));
  size_t n = ZSTD_compress(packed.data(), packed.size(), raw.data(), raw.size(), 1);
  if (ZSTD_isError(n))
    return Error{fmt::format("cannot compress {}: {}", path, ZSTD_getErrorName(n)), 2};
  FileHeader h{};
  std::memcpy(h.magic, format.magic, sizeof h.magic);
  h.version = format.version;
  h.architecture = kArchitecture;
  h.packed_bytes = n;
  h.raw_bytes = raw.size();
  h.checksum = XXH64(raw.data(), raw.size(), 0);
  std::string beside = path + ".new";
  ::unlink(
      beside
          .c_str());  // of a supervisor that was killed; a link that somebody put there is not followed
  int fd = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return cannot(beside, "write");
  bool ok = write_all(fd, &h, sizeof h) && write_all(fd, packed.data(), n);
  int failure = errno;
  ok = ::close(fd) == 0 && ok;
  if (ok && ::rename(beside.c_str(), path.c_str()) == 0) return true;
  if (!ok) errno = failure;
  Error error = cannot(path, "write");
  ::unlink(beside.c_str());
  return error;
}

Result<std::vector<char>> read_image(const std::string& path, const ImageFormat& format) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return cannot(path, "read");
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
