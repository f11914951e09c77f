// symbolize/module.cpp: see the header.
#include "symbolize/module.h"

#include "base/source_path.h"
#include "symbolize/function_name.h"

namespace tenure::symbolize {
namespace {

bool has_debug_sections(const ElfFile& file) {
  return file.section(".debug_info") != nullptr || file.section(".zdebug_info") != nullptr;
}

}  // namespace

Module::Module(std::unique_ptr<ElfFile> file, const std::string& debug_root)
    : file_(std::move(file)),
      debug_file_(has_debug_sections(*file_) ? nullptr : find_debug_file(*file_, debug_root)),
      symbols_(*file_, debug_file_.get()),
      is_nobodys_(is_system_path(file_->path()) || is_interpreter(file_->path())),
      debug_info_(is_nobodys_
                      ? nullptr
                      : DebugInfo::open(debug_file_ != nullptr ? *debug_file_ : *file_, symbols_)) {
}

std::vector<SourceFrame> Module::frames(uint64_t address) {
  std::vector<SourceFrame> found;
  if (debug_info_ != nullptr) found = debug_info_->frames(address);
  if (!found.empty() && !found.back().function.empty()) return found;
  const std::string_view symbol = symbols_.name_at(address);
  if (symbol.empty()) return found;
  if (found.empty()) found.emplace_back();
  found.back().function = function_name_of_symbol(symbol);
  return found;
}

std::optional<AddressRange> Module::function_at(uint64_t address) {
  if (debug_info_ != nullptr) {
    if (const auto range = debug_info_->function_at(address)) return range;
  }
  return symbols_.function_at(address);
}

std::optional<DeclaredAt> Module::declaration_at(uint64_t address) {
  return debug_info_ != nullptr ? debug_info_->declaration_at(address) : std::nullopt;
}

}  // namespace tenure::symbolize
