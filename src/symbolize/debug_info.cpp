// symbolize/debug_info.cpp: see the header.
#include "symbolize/debug_info.h"

#include <dwarf.h>

#include <algorithm>
#include <cstdlib>

#include "base/source_path.h"
#include "symbolize/function_name.h"
#include "symbolize/unit_files.h"

namespace tenure::symbolize {
namespace {

// Calls `visit` for each contiguous piece of code of the entry.
template <class Visit>
void for_each_range(Dwarf_Die& die, Visit visit) {
  Dwarf_Addr base = 0, start = 0, end = 0;
  for (ptrdiff_t at = 0; (at = dwarf_ranges(&die, at, &base, &start, &end)) > 0;) {
    if (start < end && start != 0)
      visit(AddressRange{start, end});  // 0: code that the linker dropped
  }
}

template <class Visit>
void for_each_child(Dwarf_Die& parent, Visit visit) {
  Dwarf_Die child;
  if (dwarf_child(&parent, &child) != 0) return;
  do {
    visit(child);
  } while (dwarf_siblingof(&child, &child) == 0);
}

// Where functions with code may be found below.
bool may_hold_functions(int tag) {
  return tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_subprogram ||
         tag == DW_TAG_lexical_block || tag == DW_TAG_structure_type || tag == DW_TAG_class_type;
}

template <class Ranged>
Ranged* last_containing(std::vector<Ranged>& sorted, uint64_t address) {
  constexpr int kMaxOverlaps = 16;  // ranges of units and functions hardly ever nest
  auto after = std::upper_bound(
      sorted.begin(), sorted.end(), address,
      [](uint64_t wanted, const Ranged& entry) { return wanted < entry.range.start; });
  for (int i = 0; i < kMaxOverlaps && after != sorted.begin(); ++i) {
    --after;
    if (after->range.contains(address)) return &*after;
  }
  return nullptr;
}

template <class Ranged>
void sort_by_start(std::vector<Ranged>& entries) {
  std::sort(entries.begin(), entries.end(),
            [](const Ranged& a, const Ranged& b) { return a.range.start < b.range.start; });
}

void set_line(Dwarf_Die& unit, uint64_t address, SourceFrame* frame) {
  Dwarf_Line* line = dwarf_getsrc_die(&unit, address);
  if (line == nullptr || dwarf_lineno(line, &frame->line) != 0) return;
  frame->file = path_in_unit(dwarf_linesrc(line, nullptr, nullptr), unit);
}

int number_of(Dwarf_Die& die, unsigned name) {
  Dwarf_Attribute attribute;
  Dwarf_Word value = 0;
  return dwarf_formudata(dwarf_attr(&die, name, &attribute), &value) == 0 ? static_cast<int>(value)
                                                                          : 0;
}

// Where the inlined function was called.
void set_call_line(Dwarf_Die& unit, Dwarf_Die& inlined, SourceFrame* frame) {
  frame->line = number_of(inlined, DW_AT_call_line);
  frame->file = file_of(unit, static_cast<size_t>(number_of(inlined, DW_AT_call_file)));
}

bool has_code_at(Dwarf_Die& die, uint64_t address) { return dwarf_haspc(&die, address) == 1; }

// The inlined functions around `address`, outermost first.
void collect_inlined(Dwarf_Die& scope, uint64_t address, std::vector<Dwarf_Die>* chain) {
  bool is_found = false;
  for_each_child(scope, [&](Dwarf_Die& child) {
    const int tag = dwarf_tag(&child);
    const bool is_inlined = tag == DW_TAG_inlined_subroutine;
    if (is_found || (!is_inlined && tag != DW_TAG_lexical_block) || !has_code_at(child, address))
      return;
    is_found = true;
    if (is_inlined) chain->push_back(child);
    collect_inlined(child, address, chain);
  });
}

const char* string_of(Dwarf_Die& die, unsigned name) {
  Dwarf_Attribute attribute;
  return dwarf_formstring(dwarf_attr_integrate(&die, name, &attribute));
}

// From code to what was written: the entry that an inlined or out-of-class definition refers to.
Dwarf_Die declaration_of(Dwarf_Die die) {
  constexpr int kMaxLinks = 4;
  for (int i = 0; i < kMaxLinks; ++i) {
    Dwarf_Attribute attribute;
    Dwarf_Die next;
    const bool has_link = dwarf_attr(&die, DW_AT_abstract_origin, &attribute) != nullptr ||
                          dwarf_attr(&die, DW_AT_specification, &attribute) != nullptr;
    if (!has_link || dwarf_formref_die(&attribute, &next) == nullptr) break;
    die = next;
  }
  return die;
}

// For entries without a linker's name: classes and functions around it. Slow (walks the unit), so names are kept.
std::string qualified_name(Dwarf_Die& die) {
  const char* own = string_of(die, DW_AT_name);
  if (own == nullptr) return "";
  std::string name = own;
  Dwarf_Die declaration = declaration_of(die);
  Dwarf_Die* scopes = nullptr;
  const int count = dwarf_getscopes_die(&declaration, &scopes);
  for (int i = 1; i < count; ++i) {
    const int tag = dwarf_tag(&scopes[i]);
    if (!may_hold_functions(tag)) continue;
    const bool is_type = tag == DW_TAG_structure_type || tag == DW_TAG_class_type;
    const char* outer = dwarf_diename(&scopes[i]);
    if (outer == nullptr && is_type && name == "operator()") outer = "{lambda}";
    if (outer != nullptr) name.insert(0, "::").insert(0, outer);
  }
  std::free(scopes);
  return short_function_name(name);
}

}  // namespace

std::unique_ptr<DebugInfo> DebugInfo::open(const ElfFile& file, const SymbolTable& symbols) {
  Dwarf* dwarf = dwarf_begin_elf(file.handle(), DWARF_C_READ, nullptr);
  if (dwarf == nullptr) return nullptr;
  std::unique_ptr<DebugInfo> info(new DebugInfo(dwarf, symbols));
  return info->units_.empty() ? nullptr : std::move(info);
}

DebugInfo::DebugInfo(Dwarf* dwarf, const SymbolTable& symbols) : dwarf_(dwarf), symbols_(symbols) {
  index_units();
}

DebugInfo::~DebugInfo() { dwarf_end(dwarf_); }

// Not by .debug_aranges, which clang leaves out.
void DebugInfo::index_units() {
  Dwarf_CU* handle = nullptr;
  Dwarf_Half version;
  uint8_t type;
  Dwarf_Die unit, split;
  while (dwarf_get_units(dwarf_, handle, &handle, &version, &type, &unit, &split) == 0) {
    if (type != DW_UT_compile && type != DW_UT_skeleton) continue;
    const bool is_split = type == DW_UT_skeleton && dwarf_tag(&split) != DW_TAG_invalid;
    units_.push_back({unit, is_split ? split : unit, {}, false});
    for_each_range(unit,
                   [&](AddressRange range) { unit_ranges_.push_back({range, units_.size() - 1}); });
  }
  sort_by_start(unit_ranges_);
}

void DebugInfo::add_function(Unit& unit, Dwarf_Die& die) {
  for_each_range(die, [&](AddressRange range) { unit.index.push_back({range, die}); });
}

void DebugInfo::index_functions(Unit& unit, Dwarf_Die& parent) {
  for_each_child(parent, [&](Dwarf_Die& child) {
    const int tag = dwarf_tag(&child);
    if (tag == DW_TAG_subprogram) add_function(unit, child);
    if (may_hold_functions(tag)) index_functions(unit, child);
  });
}

DebugInfo::Unit* DebugInfo::unit_at(uint64_t address) {
  const UnitRange* found = last_containing(unit_ranges_, address);
  return found != nullptr ? &units_[found->unit] : nullptr;
}

DebugInfo::Function* DebugInfo::function_in(Unit& unit, uint64_t address) {
  if (!unit.is_indexed) {
    index_functions(unit, unit.functions);
    sort_by_start(unit.index);
    unit.is_indexed = true;
  }
  return last_containing(unit.index, address);
}

// `symbol`: what the symbol table calls it, used where gcc leaves the linker's name out (lambdas) and for C, where an alias may
// be better known ("malloc" rather than "__GI___libc_malloc"). Empty for inlined code.
const std::string& DebugInfo::name_of(Dwarf_Die& die, std::string_view symbol) {
  const auto [place, is_new] = names_.try_emplace(die.addr);
  if (!is_new) return place->second;
  const char* linkage = string_of(die, DW_AT_linkage_name);
  if (linkage == nullptr) linkage = string_of(die, DW_AT_MIPS_linkage_name);
  if (linkage != nullptr && std::string_view(linkage).starts_with("_Z")) symbol = linkage;
  place->second = symbol.empty() ? qualified_name(die) : function_name_of_symbol(symbol);
  return place->second;
}

// Of the user's own sources: nobody is told the others.
int DebugInfo::line_of_call(Unit& unit, const SourceFrame& frame, uint64_t address) {
  if (frame.line == 0 || is_system_path(frame.file)) return frame.line;
  const auto [place, is_new] = statements_.try_emplace({&unit, frame.file});
  if (is_new)
    place->second = std::make_unique<StatementLines>(unit.lines, unit.functions, frame.file);
  return place->second->line_of_call(frame.line, address);
}

std::vector<SourceFrame> DebugInfo::frames(uint64_t address) {
  std::vector<SourceFrame> found;
  Unit* unit = unit_at(address);
  if (unit == nullptr) return found;
  SourceFrame frame;
  set_line(unit->lines, address, &frame);
  Function* function = function_in(*unit, address);
  if (function == nullptr) {
    if (frame.line != 0) found.push_back(std::move(frame));
    return found;
  }
  std::vector<Dwarf_Die> inlined;
  collect_inlined(function->die, address, &inlined);
  for (auto die = inlined.rbegin(); die != inlined.rend(); ++die) {
    frame.function = name_of(*die, "");
    frame.inlined = true;
    const bool is_destructor = frame.function.find('~') != std::string::npos;
    found.push_back(std::move(frame));
    frame = {};
    set_call_line(unit->functions, *die, &frame);
    if (!is_destructor) frame.line = line_of_call(*unit, frame, address);
  }
  frame.function = name_of(function->die, symbols_.name_at(address));
  found.push_back(std::move(frame));
  return found;
}

std::optional<AddressRange> DebugInfo::function_at(uint64_t address) {
  Unit* unit = unit_at(address);
  const Function* function = unit != nullptr ? function_in(*unit, address) : nullptr;
  return function != nullptr ? std::optional(function->range) : std::nullopt;
}

std::optional<DeclaredAt> DebugInfo::declaration_at(uint64_t address) {
  Unit* unit = unit_at(address);
  Function* function = unit != nullptr ? function_in(*unit, address) : nullptr;
  if (function == nullptr) return std::nullopt;
  DeclaredAt place;
  if (dwarf_decl_line(&function->die, &place.line) == 0) {
    place.file = declaring_file(function->die);
    return place;
  }
  // The body of a lambda has no declaration: its first instruction stands where it begins.
  std::vector<SourceFrame> entry = frames(function->range.start);
  if (entry.empty() || entry.back().line == 0) return std::nullopt;
  return DeclaredAt{entry.back().file, entry.back().line};
}

}  // namespace tenure::symbolize
