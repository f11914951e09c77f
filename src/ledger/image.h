// ledger/image.h: a ledger as a file: a compressed, checksummed copy of the used part of its tables.
// World: offline. Written beside and renamed over the older one, so that a full disk never costs what was there.
#pragma once
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
// meanwhile; single figures can then be one event apart.
std::vector<char> copy_used(const void* memory);

Result<bool> write_image(const std::string& path, const std::vector<char>& raw);
Result<std::vector<char>> read_image(const std::string& path);

}  // namespace tenure::ledger
