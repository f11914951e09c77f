// symbolize/symbol_table.h: which function an address belongs to, by the symbols and unwind tables of a file.
// World: offline. Filled once, then only read.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "symbolize/elf_file.h"

namespace tenure::symbolize {

class SymbolTable {
 public:
  // Reads .symtab of either file, or else .dynsym. `debug` may be null. Names stay in the files, which must outlive the table.
  SymbolTable(const ElfFile& file, const ElfFile* debug);

  // The linker's name of the function around `address`; empty if no symbol covers it: the nearest one before would be a guess.
  std::string_view name_at(uint64_t address) const;
  // Its extent, by symbol or else by unwind table.
  std::optional<AddressRange> function_at(uint64_t address) const;
  bool has_only_exports() const { return has_only_exports_; }

 private:
  struct Symbol {
    AddressRange range;
    const char* name;
    int rank;  // among symbols with the same start: global before weak before local
  };

  bool read_section(const ElfFile& file, uint32_t type);
  void sort_and_close_gaps();
  const Symbol* symbol_at(uint64_t address) const;

  std::vector<Symbol> symbols_;  // by start, one per start
  const ElfFile* file_;
  bool has_only_exports_ = false;
};

// The extent of the unwind entry that covers `address` (.eh_frame_hdr): known even for static functions of stripped files.
std::optional<AddressRange> unwind_range_at(const ElfFile& file, uint64_t address);

}  // namespace tenure::symbolize
