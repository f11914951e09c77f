// symbolize/symbol_table.cpp: see the header.
#include "symbolize/symbol_table.h"

#include <gelf.h>

#include <algorithm>
#include <cstring>

namespace tenure::symbolize {
namespace {

bool is_function(const GElf_Sym& symbol) {
  const int type = GELF_ST_TYPE(symbol.st_info);
  const bool is_code = type == STT_FUNC || type == STT_GNU_IFUNC;
  return is_code && symbol.st_shndx != SHN_UNDEF && symbol.st_value != 0;
}

int rank_of(const GElf_Sym& symbol) {
  const int binding = GELF_ST_BIND(symbol.st_info);
  const int sized = symbol.st_size > 0 ? 4 : 0;
  return sized + (binding == STB_GLOBAL ? 2 : binding == STB_WEAK ? 1 : 0);
}

// Of several names for one function the one that people use: "malloc", not "__libc_malloc".
bool is_plainer(std::string_view a, std::string_view b) {
  const size_t a_underscores = std::min(a.find_first_not_of('_'), a.size());
  const size_t b_underscores = std::min(b.find_first_not_of('_'), b.size());
  return a_underscores != b_underscores ? a_underscores < b_underscores : a.size() < b.size();
}

}  // namespace

SymbolTable::SymbolTable(const ElfFile& file, const ElfFile* debug) : file_(&file) {
  const bool has_all =
      read_section(file, SHT_SYMTAB) || (debug != nullptr && read_section(*debug, SHT_SYMTAB));
  has_only_exports_ = !has_all;
  if (!has_all) read_section(file, SHT_DYNSYM);
  sort_and_close_gaps();
}

bool SymbolTable::read_section(const ElfFile& file, uint32_t type) {
  Elf_Scn* section = file.section_of_type(type);
  GElf_Shdr header;
  if (section == nullptr || gelf_getshdr(section, &header) == nullptr || header.sh_entsize == 0)
    return false;
  Elf_Data* data = elf_getdata(section, nullptr);
  if (data == nullptr) return false;
  const auto count = static_cast<int>(data->d_size / header.sh_entsize);
  for (int i = 0; i < count; ++i) {
    GElf_Sym symbol;
    if (gelf_getsym(data, i, &symbol) == nullptr || !is_function(symbol)) continue;
    const char* name = elf_strptr(file.handle(), header.sh_link, symbol.st_name);
    if (name == nullptr || *name == 0) continue;
    symbols_.push_back(
        {{symbol.st_value, symbol.st_value + symbol.st_size}, name, rank_of(symbol)});
  }
  return !symbols_.empty();
}

void SymbolTable::sort_and_close_gaps() {
  std::sort(symbols_.begin(), symbols_.end(), [](const Symbol& a, const Symbol& b) {
    if (a.range.start != b.range.start) return a.range.start < b.range.start;
    return a.rank != b.rank ? a.rank > b.rank : is_plainer(a.name, b.name);
  });
  const auto same_start = [](const Symbol& a, const Symbol& b) {
    return a.range.start == b.range.start;
  };
  symbols_.erase(std::unique(symbols_.begin(), symbols_.end(), same_start), symbols_.end());
  for (size_t i = 0; i + 1 < symbols_.size(); ++i) {  // hand-written assembly often gives no size
    if (symbols_[i].range.is_empty()) symbols_[i].range.end = symbols_[i + 1].range.start;
  }
}

const SymbolTable::Symbol* SymbolTable::symbol_at(uint64_t address) const {
  constexpr int kMaxNested = 8;  // a symbol may start inside another one
  auto after = std::upper_bound(
      symbols_.begin(), symbols_.end(), address,
      [](uint64_t wanted, const Symbol& symbol) { return wanted < symbol.range.start; });
  for (int i = 0; i < kMaxNested && after != symbols_.begin(); ++i) {
    --after;
    if (after->range.contains(address)) return &*after;
  }
  return nullptr;
}

std::string_view SymbolTable::name_at(uint64_t address) const {
  const Symbol* symbol = symbol_at(address);
  return symbol != nullptr ? symbol->name : std::string_view();
}

std::optional<AddressRange> SymbolTable::function_at(uint64_t address) const {
  if (const Symbol* symbol = symbol_at(address)) return symbol->range;
  return unwind_range_at(*file_, address);
}

namespace {

constexpr uint8_t kFourBytesFromHeader = 0x3b,
                  kFourBytesFromHere = 0x1b;  // DW_EH_PE encodings of all common linkers

template <class T>
std::optional<T> value_at(std::span<const uint8_t> bytes, uint64_t offset) {
  T value;
  if (offset > bytes.size() || bytes.size() - offset < sizeof value) return std::nullopt;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

struct LoadedSection {
  uint64_t address = 0;
  std::span<const uint8_t> bytes;
};

LoadedSection load(const ElfFile& file, const char* name) {
  Elf_Scn* section = file.section(name);
  GElf_Shdr header;
  if (section == nullptr || gelf_getshdr(section, &header) == nullptr) return {};
  return {header.sh_addr, file.bytes({header.sh_addr, header.sh_addr + header.sh_size})};
}

// Address of the entry with the greatest start not above `address`, by the sorted table of .eh_frame_hdr; 0 if none.
uint64_t entry_before(const LoadedSection& header, uint64_t address) {
  constexpr uint64_t kTable = 12,
                     kPair = 8;  // version and encodings, pointer, count; then pairs (start, entry)
  const auto encodings = value_at<uint32_t>(header.bytes, 0);
  const auto count = value_at<uint32_t>(header.bytes, 8);
  if (!encodings ||
      *encodings !=
          (1u | kFourBytesFromHere << 8 | 0x03u << 16 | uint32_t{kFourBytesFromHeader} << 24) ||
      !count)
    return 0;
  const auto wanted = static_cast<int64_t>(address - header.address);
  uint64_t low = 0, high = *count;
  while (low < high) {  // first entry that starts after `address`
    const uint64_t middle = low + (high - low) / 2;
    const auto start = value_at<int32_t>(header.bytes, kTable + middle * kPair);
    if (!start) return 0;
    if (*start <= wanted)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == 0) return 0;
  const auto entry = value_at<int32_t>(header.bytes, kTable + (low - 1) * kPair + 4);
  return entry ? header.address + static_cast<uint64_t>(static_cast<int64_t>(*entry)) : 0;
}

}  // namespace

std::optional<AddressRange> unwind_range_at(const ElfFile& file, uint64_t address) {
  const uint64_t entry = entry_before(load(file, ".eh_frame_hdr"), address);
  if (entry == 0) return std::nullopt;
  // Length, distance to the common entry, start relative to its own place, size: in the one encoding compilers use.
  const std::span<const uint8_t> bytes = file.bytes({entry, entry + 16});
  const auto start = value_at<int32_t>(bytes, 8);
  const auto size = value_at<uint32_t>(bytes, 12);
  if (!start || !size) return std::nullopt;
  const uint64_t first = entry + 8 + static_cast<uint64_t>(static_cast<int64_t>(*start));
  const AddressRange range = {first, first + *size};
  return range.contains(address) ? std::optional(range) : std::nullopt;
}

}  // namespace tenure::symbolize
