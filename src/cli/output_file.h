// cli/output_file.h: what a program prints while the live view has its terminal: a file of the record, its last rows, and
// the rest of it when the terminal is free.
// World: offline, and beside the program. Values in, values out.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace tenure::cli {

// The last rows of a file as a terminal would show them: of what overwrote itself the newest, without colours.
std::vector<std::string> last_rows(const std::string& file, size_t most);

// Writes what has been added to the file since `from` to standard output, and gives back how far it came.
uint64_t copy_from(const std::string& file, uint64_t from);

// Where the last rows begin, so that copy_from() shows these and what follows.
uint64_t start_of_last_rows(const std::string& file, size_t most);

}  // namespace tenure::cli
