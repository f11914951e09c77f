#include "symbolize/statement_lines.h"

#include <dwarf.h>

#include <algorithm>
#include <map>

#include "symbolize/unit_files.h"

namespace tenure::symbolize {
namespace {

bool may_declare_functions(int tag) {
  return tag == DW_TAG_namespace || tag == DW_TAG_structure_type || tag == DW_TAG_class_type;
}

}  // namespace

StatementLines::StatementLines(Dwarf_Die& lines, Dwarf_Die& functions, const std::string& file) {
  Dwarf_Lines* table = nullptr;
  size_t count = 0;
  if (dwarf_getsrclines(&lines, &table, &count) != 0) return;
  std::map<const char*, bool> is_of_file;  // by the name's place in the table
  for (size_t i = 0; i < count; ++i) {
    Dwarf_Line* line = dwarf_onesrcline(table, i);
    Row row{};
    Dwarf_Addr address = 0;
    const char* name = dwarf_linesrc(line, nullptr, nullptr);
    const auto [known, is_new] = is_of_file.try_emplace(name);
    if (is_new) known->second = path_in_unit(name, lines) == file;
    if (!known->second || dwarf_lineaddr(line, &address) != 0) continue;
    if (dwarf_lineno(line, &row.line) != 0 || row.line == 0) continue;
    row.address = address;
    rows_.push_back(row);
    lines_.push_back(row.line);
  }
  std::stable_sort(rows_.begin(), rows_.end(),
                   [](const Row& a, const Row& b) { return a.address < b.address; });
  add_functions(functions, file);
  std::sort(lines_.begin(), lines_.end());
  std::sort(declared_.begin(), declared_.end());
}

void StatementLines::add_functions(Dwarf_Die& parent, const std::string& file) {
  Dwarf_Die child;
  if (dwarf_child(&parent, &child) != 0) return;
  do {
    const int tag = dwarf_tag(&child);
    int line = 0;
    if (tag == DW_TAG_subprogram && dwarf_decl_line(&child, &line) == 0 &&
        declaring_file(child) == file)
      declared_.push_back(line);
    if (may_declare_functions(tag)) add_functions(child, file);
  } while (dwarf_siblingof(&child, &child) == 0);
}

// No code stands between it and the next function.
bool StatementLines::ends_function(int line) const {
  const auto code = std::upper_bound(lines_.begin(), lines_.end(), line);
  const auto next = std::upper_bound(declared_.begin(), declared_.end(), line);
  return code == lines_.end() || (next != declared_.end() && *next <= *code);
}

int StatementLines::line_of_call(int line, uint64_t address) const {
  const auto begin = std::upper_bound(declared_.begin(), declared_.end(), line);
  if (begin == declared_.begin() || !ends_function(line)) return line;
  const int declared = *(begin - 1);
  const auto after =
      std::upper_bound(rows_.begin(), rows_.end(), address,
                       [](uint64_t wanted, const Row& row) { return wanted < row.address; });
  if (after == rows_.begin()) return line;
  const int before = (after - 1)->line;
  return declared < before && before < line ? before : line;
}

}  // namespace tenure::symbolize
