// ledger/image.h: a ledger or a snapshot as a file: a compressed, checksummed copy of its used bytes.
// World: offline.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "ledger/layout.h"

namespace tenure::ledger {

inline constexpr char kFileMagic[8] = {'T', 'E', 'N', 'U', 'R', 'E', 'F', 'L'};

struct FileHeader {
  char magic[8];
  uint32_t version;
  uint32_t architecture;
  uint64_t packed_bytes;
  uint64_t raw_bytes;
  uint64_t checksum;  // XXH64 of the raw bytes
};

// The used part of a ledger in memory: its header, then the tables, their offsets rewritten. The writer may go on
// meanwhile; single figures can then be one event apart. The memory is the program's as well, and reserved_bytes() long:
// nothing comes back where a wild write of the program has left tables that do not lie in it.
std::vector<char> copy_used(const void* memory);

// The sites of the same, where they lie: nothing is copied. None where the program has overwritten the table.
std::span<const Site> sites_in(const void* memory);

// What kind of file it is: how it begins, and between which sizes its raw bytes lie.
struct ImageFormat {
  const char* magic;  // 8 characters
  uint32_t version;
  const char* what;  // "ledger"
  uint64_t least_raw_bytes, most_raw_bytes;
};
extern const ImageFormat kLedgerImage, kSnapshotImage;

Result<bool> write_image(const std::string& path, const std::vector<char>& raw,
                         const ImageFormat& format = kLedgerImage);
Result<std::vector<char>> read_image(const std::string& path,
                                     const ImageFormat& format = kLedgerImage);

}  // namespace tenure::ledger
