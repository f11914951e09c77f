#include "symbolize/unit_files.h"

#include <dwarf.h>

#include <filesystem>

namespace tenure::symbolize {

std::string path_in_unit(const char* name, Dwarf_Die& unit) {
  if (name == nullptr) return "";
  std::filesystem::path path = name;
  if (path.is_relative()) {
    Dwarf_Attribute attribute;
    const char* folder = dwarf_formstring(dwarf_attr(&unit, DW_AT_comp_dir, &attribute));
    if (folder != nullptr) path = std::filesystem::path(folder) / path;
  }
  return path.lexically_normal().string();
}

// The file with this number in the unit's table.
std::string file_of(Dwarf_Die& unit, size_t number) {
  Dwarf_Files* files = nullptr;
  size_t count = 0;
  if (dwarf_getsrcfiles(&unit, &files, &count) != 0 || number >= count) return "";
  return path_in_unit(dwarf_filesrc(files, number, nullptr, nullptr), unit);
}

// Not by dwarf_decl_file(), which does not know that DWARF 5 counts files from 0.
std::string declaring_file(Dwarf_Die& die) {
  Dwarf_Attribute attribute;
  Dwarf_Word number = 0;
  Dwarf_Die unit;
  if (dwarf_formudata(dwarf_attr_integrate(&die, DW_AT_decl_file, &attribute), &number) != 0)
    return "";
  if (dwarf_cu_die(attribute.cu, &unit, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr) ==
      nullptr)
    return "";
  return file_of(unit, number);
}

}  // namespace tenure::symbolize
