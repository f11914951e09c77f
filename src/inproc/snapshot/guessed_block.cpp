#include "inproc/snapshot/guessed_block.h"

#include "inproc/territory/territory.h"

namespace tenure::inproc {
namespace {

constexpr uint64_t kBefore = 32;  // bytes that tell the size of a block

// Words of a heap lie outside of every block, where AddressSanitizer takes a read for a mistake.
__attribute__((no_sanitize("address"))) uint64_t word_at(uint64_t address) noexcept {
  return *reinterpret_cast<const uint64_t*>(address);
}

// As libc's heap writes it before a block: the block's size and three flags. That a block is in use, the one behind it says.
uint64_t bytes_in_libc(ReadablePages& pages, uint64_t address) noexcept {
  constexpr uint64_t kFlags = 7, kIsUsed = 1, kIsMapped = 2;
  uint64_t head = word_at(address - 8), size = head & ~kFlags;
  if (size % 16 != 0 || size < 32 || size > kLargestGuessedBlock + 16) return 0;
  if (head & kIsMapped) return 0;  // those are bigger
  uint64_t behind = address - 8 + size;
  return pages.can_read(behind, 8) && (word_at(behind) & kIsUsed) ? size - 8 : 0;
}

}  // namespace

uint64_t guessed_block_bytes(ReadablePages& pages, uint64_t address) noexcept {
  if (address % 16 != 0 || !pages.can_read(address - kBefore, kBefore + 8)) return 0;
  auto* p = reinterpret_cast<const void*>(address);
  bool is_ours = territory().slots().has_block_at(p);
  uint64_t bytes = is_ours ? territory().usable(p) : bytes_in_libc(pages, address);
  return bytes <= kLargestGuessedBlock ? bytes : 0;
}

}  // namespace tenure::inproc
