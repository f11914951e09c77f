// inproc/stacks/eh_frame.cpp: see the header.
#include "inproc/stacks/eh_frame.h"

#include "inproc/os/elf_symbols.h"

namespace tenure::inproc {
namespace {

// A length-prefixed record of .eh_frame. The 64-bit form and the terminator give an empty one.
Bytes record_at(const uint8_t* at) {
  uint32_t size;
  std::memcpy(&size, at, sizeof size);
  if (size == 0xffffffff) size = 0;
  return {at + 4, at + 4 + size};
}

void read_augmentation(const char* letters, Bytes data, Cie* out) {
  for (; *letters != 0; ++letters) {
    switch (*letters) {
      case 'L':
        data.take<uint8_t>();
        break;
      case 'R':
        out->pointer_encoding = data.take<uint8_t>();
        break;
      case 'S':
        out->is_signal_frame = true;
        break;
      case 'P': {
        const auto encoding = data.take<uint8_t>();
        data.take_pointer(encoding & 0x0f);
        break;
      }
      default:
        return;
    }
  }
}

bool read_cie(const uint8_t* at, Cie* out) {
  Bytes bytes = record_at(at);
  if (bytes.take<uint32_t>() != 0) return false;
  const auto version = bytes.take<uint8_t>();
  const auto* letters = reinterpret_cast<const char*>(bytes.at);
  while (bytes.take<char>() != 0) {
  }
  if (!bytes.is_intact || (version != 1 && version != 3)) return false;
  out->code_factor = bytes.take_uleb();
  out->data_factor = bytes.take_sleb();
  const uint64_t return_register = version == 1 ? bytes.take<uint8_t>() : bytes.take_uleb();
  if (return_register != kReturnAddress) return false;
  if (*letters == 'z') {
    out->has_augmentation_size = true;
    read_augmentation(letters + 1, bytes.take_block(bytes.take_uleb()), out);
  } else if (*letters != 0) {
    return false;  // gcc 2 wrote "eh" without a size
  }
  out->program = bytes;
  return bytes.is_intact;
}

bool read_fde(const uint8_t* at, Fde* out) {
  Bytes bytes = record_at(at);
  const uint8_t* id_at = bytes.at;
  const auto cie_distance = bytes.take<uint32_t>();
  if (!bytes.is_intact || cie_distance == 0 || !read_cie(id_at - cie_distance, &out->cie))
    return false;
  out->start = bytes.take_pointer(out->cie.pointer_encoding);
  out->end = out->start + bytes.take_pointer(out->cie.pointer_encoding & 0x0f);
  if (out->cie.has_augmentation_size) bytes.take_block(bytes.take_uleb());
  out->program = bytes;
  return bytes.is_intact;
}

// The binary search table that linkers write: pairs of (function start, entry), both relative to the header, sorted.
const uint8_t* entry_for(const uint8_t* header, uintptr_t address) {
  constexpr uint8_t kRelativeToHeader = 0x3b;
  struct Pair {
    int32_t start, entry;
  };
  const auto base = reinterpret_cast<uintptr_t>(header);
  if (header[0] != 1 || header[3] != kRelativeToHeader) return nullptr;
  Bytes bytes = {header + 4, header + 32};
  bytes.take_pointer(header[1], base);
  const uintptr_t count = bytes.take_pointer(header[2], base);
  const auto pair_at = [table = bytes.at](size_t i) {
    Pair pair;
    std::memcpy(&pair, table + i * sizeof pair, sizeof pair);
    return pair;
  };
  const auto wanted = static_cast<intptr_t>(address - base);
  if (!bytes.is_intact || count == 0 || pair_at(0).start > wanted) return nullptr;
  size_t low = 0, high = count;  // pair_at(low).start <= wanted < pair_at(high).start
  while (high - low > 1) {
    const size_t middle = low + (high - low) / 2;
    (pair_at(middle).start <= wanted ? low : high) = middle;
  }
  return header + pair_at(low).entry;
}

}  // namespace

bool find_fde(uintptr_t address, Fde* out) noexcept {
  const uint8_t* header = eh_frame_header_of(address);
  const uint8_t* entry = header != nullptr ? entry_for(header, address) : nullptr;
  return entry != nullptr && read_fde(entry, out) && address >= out->start && address < out->end;
}

}  // namespace tenure::inproc
