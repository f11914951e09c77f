// symbolize/elf_file.h: one ELF file on disk, and the separate file that may hold its debug information.
// World: offline. One owner; not thread-safe.
#pragma once
#include <libelf.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace tenure::symbolize {

// Addresses inside the file, end exclusive.
struct AddressRange {
  uint64_t start = 0, end = 0;
  bool contains(uint64_t address) const { return address - start < end - start; }
  bool is_empty() const { return end <= start; }
};

class ElfFile {
 public:
  // Null if the file cannot be read or is not ELF.
  static std::unique_ptr<ElfFile> open(const std::string& path);
  ~ElfFile();
  ElfFile(const ElfFile&) = delete;
  ElfFile& operator=(const ElfFile&) = delete;

  Elf* handle() const { return elf_; }
  const std::string& path() const { return path_; }
  std::string build_id_hex() const;  // empty if it has none
  int machine() const;               // EM_X86_64 ...

  // The section of this name or type, null if there is none or it is empty.
  Elf_Scn* section(const char* name) const;
  Elf_Scn* section_of_type(uint32_t type) const;

  // The bytes that the file loads at these addresses; empty unless all of them come from one segment. Owned by the file.
  std::span<const uint8_t> bytes(AddressRange range) const;

 private:
  ElfFile(std::string path, int descriptor, Elf* elf)
      : path_(std::move(path)), descriptor_(descriptor), elf_(elf) {}

  std::string path_;
  int descriptor_;
  Elf* elf_;
};

// The separate debug file of `file`: by build id under `debug_root`, else by the name in .gnu_debuglink. Only on this disk, and
// only if its build id (or without one its checksum) is the right one. Null if there is none.
std::unique_ptr<ElfFile> find_debug_file(const ElfFile& file, const std::string& debug_root);

}  // namespace tenure::symbolize
