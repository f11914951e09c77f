// symbolize/elf_file.cpp: see the header. libelf maps the file, so a library of gigabytes costs only the pages that are read.
#include "symbolize/elf_file.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <vector>

namespace tenure::symbolize {

std::unique_ptr<ElfFile> ElfFile::open(const std::string& path) {
  elf_version(EV_CURRENT);
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return nullptr;
  Elf* elf = elf_begin(descriptor, ELF_C_READ_MMAP, nullptr);
  if (elf == nullptr || elf_kind(elf) != ELF_K_ELF) {
    elf_end(elf);
    close(descriptor);
    return nullptr;
  }
  return std::unique_ptr<ElfFile>(new ElfFile(path, descriptor, elf));
}

ElfFile::~ElfFile() {
  elf_end(elf_);
  close(descriptor_);
}

std::string ElfFile::build_id_hex() const {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const void* bytes = nullptr;
  const ssize_t size = dwelf_elf_gnu_build_id(elf_, &bytes);
  std::string text;
  for (ssize_t i = 0; i < size; ++i) {
    const uint8_t byte = static_cast<const uint8_t*>(bytes)[i];
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

int ElfFile::machine() const {
  GElf_Ehdr header;
  return gelf_getehdr(elf_, &header) != nullptr ? header.e_machine : EM_NONE;
}

namespace {

template <class Predicate>
Elf_Scn* first_section(Elf* elf, Predicate is_wanted) {
  for (Elf_Scn* section = elf_nextscn(elf, nullptr); section != nullptr;
       section = elf_nextscn(elf, section)) {
    GElf_Shdr header;
    const bool is_readable = gelf_getshdr(section, &header) != nullptr;
    if (is_readable && header.sh_type != SHT_NOBITS && header.sh_size > 0 && is_wanted(header))
      return section;
  }
  return nullptr;
}

}  // namespace

Elf_Scn* ElfFile::section(const char* name) const {
  size_t names = 0;
  if (elf_getshdrstrndx(elf_, &names) != 0) return nullptr;
  return first_section(elf_, [&](const GElf_Shdr& header) {
    const char* text = elf_strptr(elf_, names, header.sh_name);
    return text != nullptr && std::strcmp(text, name) == 0;
  });
}

Elf_Scn* ElfFile::section_of_type(uint32_t type) const {
  return first_section(elf_, [&](const GElf_Shdr& header) { return header.sh_type == type; });
}

std::span<const uint8_t> ElfFile::bytes(AddressRange range) const {
  size_t segment_count = 0, file_size = 0;
  const char* file = elf_rawfile(elf_, &file_size);
  if (file == nullptr || range.is_empty() || elf_getphdrnum(elf_, &segment_count) != 0) return {};
  for (size_t i = 0; i < segment_count; ++i) {
    GElf_Phdr segment;
    if (gelf_getphdr(elf_, static_cast<int>(i), &segment) == nullptr || segment.p_type != PT_LOAD)
      continue;
    const AddressRange loaded = {segment.p_vaddr, segment.p_vaddr + segment.p_filesz};
    if (!loaded.contains(range.start) || range.end > loaded.end) continue;
    const uint64_t offset = segment.p_offset + (range.start - segment.p_vaddr);
    const uint64_t size = range.end - range.start;
    if (offset > file_size || size > file_size - offset) return {};
    return {reinterpret_cast<const uint8_t*>(file) + offset, size};
  }
  return {};
}

namespace {

// The checksum of .gnu_debuglink (CRC-32 as in zip).
uint32_t checksum_of(std::span<const uint8_t> bytes) {
  static const auto kTable = [] {
    std::array<uint32_t, 256> table{};
    for (uint32_t i = 0; i < 256; ++i) {
      uint32_t value = i;
      for (int bit = 0; bit < 8; ++bit)
        value = (value & 1) != 0 ? 0xedb88320u ^ (value >> 1) : value >> 1;
      table[i] = value;
    }
    return table;
  }();
  uint32_t value = ~0u;
  for (const uint8_t byte : bytes) value = kTable[(value ^ byte) & 0xff] ^ (value >> 8);
  return ~value;
}

bool has_checksum(const ElfFile& file, uint32_t expected) {
  size_t size = 0;
  const char* bytes = elf_rawfile(file.handle(), &size);
  return bytes != nullptr &&
         checksum_of({reinterpret_cast<const uint8_t*>(bytes), size}) == expected;
}

std::vector<std::string> places_of_link(const ElfFile& file, const std::string& name,
                                        const std::string& debug_root) {
  std::error_code ignored;
  const std::filesystem::path real = std::filesystem::canonical(file.path(), ignored);
  const std::filesystem::path folder =
      (ignored ? std::filesystem::path(file.path()) : real).parent_path();
  return {folder / name, folder / ".debug" / name, debug_root + (folder / name).string()};
}

}  // namespace

std::unique_ptr<ElfFile> find_debug_file(const ElfFile& file, const std::string& debug_root) {
  const std::string id = file.build_id_hex();
  if (id.size() > 2) {
    auto found =
        ElfFile::open(debug_root + "/.build-id/" + id.substr(0, 2) + "/" + id.substr(2) + ".debug");
    if (found != nullptr && found->build_id_hex() == id) return found;
  }
  GElf_Word checksum = 0;
  const char* name = dwelf_elf_gnu_debuglink(file.handle(), &checksum);
  if (name == nullptr || *name == 0) return nullptr;
  for (const std::string& place : places_of_link(file, name, debug_root)) {
    if (place == file.path()) continue;
    auto found = ElfFile::open(place);
    const bool is_right = found != nullptr && (id.empty() ? has_checksum(*found, checksum)
                                                          : found->build_id_hex() == id);
    if (is_right) return found;
  }
  return nullptr;
}

}  // namespace tenure::symbolize
