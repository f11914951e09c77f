// inproc/stacks/eh_frame.h: the entries of .eh_frame and how to find the one of an address (Linux Standard Base, x86-64).
// World: inside the program. Pure reading of the tables of loaded objects; no heap; locks as object_of().
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tenure::inproc {

inline constexpr uint64_t kRbp = 6, kRsp = 7, kReturnAddress = 16;  // DWARF numbers of registers

// Reads forward inside [at, end); past the end everything reads as 0 and `is_intact` turns false.
struct Bytes {
  const uint8_t* at;
  const uint8_t* end;
  bool is_intact = true;

  bool is_empty() const { return at >= end; }

  template <class T>
  T take() {
    T value{};
    if (static_cast<size_t>(end - at) < sizeof value) {
      is_intact = false;
      at = end;
      return value;
    }
    std::memcpy(&value, at, sizeof value);
    at += sizeof value;
    return value;
  }

  uint64_t take_uleb() {
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = take<uint8_t>();
      if (shift < 64) value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) return value;
    }
  }

  int64_t take_sleb() {
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte;
    do {
      byte = take<uint8_t>();
      if (shift < 64) value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      shift += 7;
    } while ((byte & 0x80) != 0);
    if (shift < 64 && (byte & 0x40) != 0) value |= ~uint64_t{0} << shift;
    return static_cast<int64_t>(value);
  }

  Bytes take_block(uint64_t size) {
    if (size > static_cast<size_t>(end - at)) {
      is_intact = false;
      size = 0;
    }
    const Bytes block = {at, at + size};
    at += size;
    return block;
  }

  // A pointer in one of the DW_EH_PE encodings without indirection; `data_base` is the start of .eh_frame_hdr.
  uintptr_t take_pointer(uint8_t encoding, uintptr_t data_base = 0) {
    const auto here = reinterpret_cast<uintptr_t>(at);
    uintptr_t value = 0;
    switch (encoding & 0x0f) {
      case 0x00:
      case 0x04:
      case 0x0c:
        value = take<uint64_t>();
        break;
      case 0x01:
        value = take_uleb();
        break;
      case 0x02:
        value = take<uint16_t>();
        break;
      case 0x03:
        value = take<uint32_t>();
        break;
      case 0x09:
        value = static_cast<uintptr_t>(take_sleb());
        break;
      case 0x0a:
        value = static_cast<uintptr_t>(static_cast<intptr_t>(take<int16_t>()));
        break;
      case 0x0b:
        value = static_cast<uintptr_t>(static_cast<intptr_t>(take<int32_t>()));
        break;
      default:
        is_intact = false;
    }
    switch (encoding & 0x70) {
      case 0x00:
        return value;
      case 0x10:
        return here + value;
      case 0x30:
        return data_base + value;
      default:
        is_intact = false;
        return 0;
    }
  }
};

// Common information entry: what the functions of one compilation share.
struct Cie {
  uint64_t code_factor = 1;
  int64_t data_factor = 1;
  uint8_t pointer_encoding = 0;
  bool has_augmentation_size = false;
  bool is_signal_frame = false;
  Bytes program{nullptr, nullptr};
};

// Frame description entry: one contiguous piece of code, as a rule a function.
struct Fde {
  Cie cie;
  uintptr_t start = 0, end = 0;
  Bytes program{nullptr, nullptr};
};

// The entry that covers `address`. False for code that has none.
bool find_fde(uintptr_t address, Fde* out) noexcept;

}  // namespace tenure::inproc
