// symbolize/debug_info.h: the DWARF of one file (versions 2 to 5): functions, what was inlined into them, and lines.
// World: offline. Belongs to one Module; not thread-safe. Units are indexed when an address in them is first asked for.
#pragma once
#include <elfutils/libdw.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "symbolize/elf_file.h"
#include "symbolize/source_frame.h"
#include "symbolize/statement_lines.h"
#include "symbolize/symbol_table.h"

namespace tenure::symbolize {

struct DeclaredAt {
  std::string file;
  int line = 0;
};

class DebugInfo {
 public:
  // Null if the file has no debug information. Both arguments must live longer.
  static std::unique_ptr<DebugInfo> open(const ElfFile& file, const SymbolTable& symbols);
  ~DebugInfo();
  DebugInfo(const DebugInfo&) = delete;
  DebugInfo& operator=(const DebugInfo&) = delete;

  // Innermost first. The last one lacks its name if only the line table knows the address. Empty if nothing does.
  std::vector<SourceFrame> frames(uint64_t address);

  std::optional<AddressRange> function_at(uint64_t address);
  std::optional<DeclaredAt> declaration_at(uint64_t address);

 private:
  struct Function {
    AddressRange range;
    Dwarf_Die die;
  };
  struct Unit {
    Dwarf_Die lines;      // the unit in this file
    Dwarf_Die functions;  // the same, or its other half in a .dwo file
    std::vector<Function> index;
    bool is_indexed = false;
  };
  struct UnitRange {
    AddressRange range;
    size_t unit;
  };

  DebugInfo(Dwarf* dwarf, const SymbolTable& symbols);
  void index_units();
  void index_functions(Unit& unit, Dwarf_Die& parent);
  void add_function(Unit& unit, Dwarf_Die& die);
  Unit* unit_at(uint64_t address);
  Function* function_in(Unit& unit, uint64_t address);
  int line_of_call(Unit& unit, const SourceFrame& frame, uint64_t address);
  const std::string& name_of(Dwarf_Die& die, std::string_view symbol);

  Dwarf* dwarf_;
  const SymbolTable& symbols_;
  std::vector<Unit> units_;
  std::vector<UnitRange> unit_ranges_;  // by start
  std::map<std::pair<const Unit*, std::string>, std::unique_ptr<StatementLines>>
      statements_;  // by unit and file, for calls that were inlined
  std::unordered_map<const void*, std::string> names_;  // by the entry's place in the section
};

}  // namespace tenure::symbolize
