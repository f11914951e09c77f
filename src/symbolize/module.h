// symbolize/module.h: one library or program with everything that names its code: symbols, unwind table, debug information.
// World: offline. Belongs to its Symbolizer; not thread-safe. What is expensive is read on first use.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "symbolize/debug_info.h"
#include "symbolize/elf_file.h"
#include "symbolize/source_frame.h"
#include "symbolize/symbol_table.h"

namespace tenure::symbolize {

class Module {
 public:
  Module(std::unique_ptr<ElfFile> file, const std::string& debug_root);

  const std::string& path() const { return file_->path(); }
  bool has_lines() const { return is_nobodys_ || debug_info_ != nullptr; }
  bool has_only_exports() const { return symbols_.has_only_exports(); }

  std::vector<SourceFrame> frames(uint64_t address);

  // The contiguous piece of code around `address` that belongs to one function.
  std::optional<AddressRange> function_at(uint64_t address);
  // Where that function is written. Nothing without debug information.
  std::optional<DeclaredAt> declaration_at(uint64_t address);
  const ElfFile& file() const { return *file_; }

 private:
  std::unique_ptr<ElfFile> file_;
  std::unique_ptr<ElfFile> debug_file_;  // null: none, or all is in the file itself
  SymbolTable symbols_;
  bool
      is_nobodys_;  // of the system or the interpreter: no line of it is ever told, its names are enough
  std::unique_ptr<DebugInfo> debug_info_;
};

}  // namespace tenure::symbolize
