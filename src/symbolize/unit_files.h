// symbolize/unit_files.h: the files that a unit of debug information names, as absolute paths.
// World: offline. Pure.
#pragma once
#include <elfutils/libdw.h>

#include <cstddef>
#include <string>

namespace tenure::symbolize {

// Null: the empty path.
std::string path_in_unit(const char* name, Dwarf_Die& unit);

// The file with this number in the unit's table.
std::string file_of(Dwarf_Die& unit, size_t number);

// The file that declares an entry; empty: not known.
std::string declaring_file(Dwarf_Die& die);

}  // namespace tenure::symbolize
