// symbolize/symbolizer.cpp: see the header.
#include "symbolize/symbolizer.h"

#include <fmt/format.h>

#include "symbolize/module.h"

namespace tenure::symbolize {
namespace {

// Mapped by the kernel or by a program itself: there is no file, and nobody misses it.
bool has_no_file(const std::string& path) {
  return path.empty() || path[0] == '[' || path.starts_with("linux-vdso");
}

std::string about_debug_information(const Module& module) {
  if (module.has_lines()) return "";
  const char* names = module.has_only_exports() ? "exported names only" : "function names only";
  return fmt::format(
      "{} has no debug information: {}, no source lines. Build it with -g, or install its debug "
      "symbols.",
      module.path(), names);
}

}  // namespace

Symbolizer::Symbolizer(std::string debug_root) : debug_root_(std::move(debug_root)) {}
Symbolizer::~Symbolizer() = default;

std::unique_ptr<Module> Symbolizer::open(const Address& address) {
  if (has_no_file(address.module)) return nullptr;
  std::unique_ptr<ElfFile> file = ElfFile::open(address.module);
  if (file == nullptr) {
    problems_.push_back(
        fmt::format("{} cannot be read any more: its functions stay unnamed.", address.module));
    return nullptr;
  }
  if (!address.build_id_hex.empty() && file->build_id_hex() != address.build_id_hex) {
    problems_.push_back(fmt::format(
        "{} is not the file that ran (its build id differs): its functions stay unnamed.",
        address.module));
    return nullptr;
  }
  auto module = std::make_unique<Module>(std::move(file), debug_root_);
  if (std::string problem = about_debug_information(*module); !problem.empty())
    problems_.push_back(std::move(problem));
  return module;
}

Module* Symbolizer::module_of(const Address& address) {
  const auto [place, is_new] = modules_.try_emplace({address.module, address.build_id_hex});
  if (is_new) place->second = open(address);
  return place->second.get();
}

std::vector<SourceFrame> Symbolizer::frames(const Address& call_site) {
  Module* module = module_of(call_site);
  return module != nullptr ? module->frames(call_site.offset) : std::vector<SourceFrame>();
}

std::string Symbolizer::function_name(const Address& address) {
  const std::vector<SourceFrame> found = frames(address);
  return found.empty() ? std::string() : found.back().function;
}

}  // namespace tenure::symbolize
