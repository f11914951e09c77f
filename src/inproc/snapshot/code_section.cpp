#include "inproc/snapshot/code_section.h"

#include <algorithm>

#include "base/source_path.h"

namespace tenure::inproc {
namespace {

using ledger::CodeConstant;
using ledger::SnapshotCode;

constexpr int kMostPath = 512;           // as the ledger has them
constexpr int64_t kMostItems = 1 << 16;  // of a tuple of names or constants; more is a misread
constexpr uint8_t kLocal = 0x20, kCell = 0x40, kFree = 0x80;  // CPython's kinds of variables
constexpr int64_t kLargestNumber = 0x7fffffff;

int64_t items_of(Object tuple) noexcept {
  if (!tuple || !type_of(tuple) || !(flags_of(tuple) & kIsTuple)) return 0;
  auto items = load<int64_t>(tuple, kVarObjectSize);
  return items >= 0 && items <= kMostItems ? items : 0;
}

bool is_code(Object o) noexcept { return o && type_of(o) && is_named(o, "code"); }

bool is_number(Object o) noexcept {
  return flags_of(o) & kIsLong || is_named(o, "float") || is_named(o, "bool");
}

// Numbers of the types with this name.
uint32_t type_named(const HeapGraph& heap, const char* name) noexcept {
  for (uint32_t i = 1; i < heap.types.size(); ++i) {
    if (heap.types[i].type && strcmp(type_name(heap.types[i].type), name) == 0) return i;
  }
  return AddressMap::kNone;
}

}  // namespace

// ---- which ----

CodeSection::Origin CodeSection::origin_of(Object code) noexcept {
  Object file = load_pointer(code, api_.frames->code_file);
  if (!file || !type_of(file) || !(flags_of(file) & kIsStr)) return Origin::library;
  bool fresh;
  uint32_t* answer = origins_.find_or_add(reinterpret_cast<uint64_t>(file), &fresh);
  if (!answer) return Origin::library;
  if (fresh) {
    char path[kMostPath];
    reader_.copy_file_name(code, path, sizeof path);
    Origin origin = is_typed_code(path) ? Origin::typed : Origin::file;
    *answer = static_cast<uint32_t>(is_user_file(path) ? origin : Origin::library);
  }
  return static_cast<Origin>(*answer);
}

void CodeSection::note(Object code) noexcept {
  if (!is_code(code) || origin_of(code) == Origin::library) return;
  bool fresh;
  uint32_t* number = numbers_.find_or_add(reinterpret_cast<uint64_t>(code), &fresh);
  if (!number || !fresh) return;
  *number = static_cast<uint32_t>(found_.size());
  found_.push(code);
}

void CodeSection::note_function(Object function) noexcept {
  Object code = load_pointer(function, api_.objects->function_code);
  Object name = load_pointer(function, api_.objects->function_qualname);
  if (!is_code(code) || origin_of(code) == Origin::library || !name) return;
  bool fresh;
  uint32_t* at = qualified_.find_or_add(reinterpret_cast<uint64_t>(code), &fresh);
  if (!at || !fresh) return;
  *at = static_cast<uint32_t>(qualified_names_.size());
  qualified_names_.push(name);
}

// Codes inside of those that were noted since the last call, at any depth.
void CodeSection::note_inner() noexcept {
  for (; expanded_ < found_.size() && !g_snapshot_is_short; ++expanded_) {
    Object constants = load_pointer(found_[expanded_], api_.objects->code_constants);
    for (int64_t i = 0, n = items_of(constants); i < n; ++i) note(tuple_item(constants, i));
  }
}

void CodeSection::note_heap(const HeapGraph& heap, Origin wanted) noexcept {
  const uint32_t code = type_named(heap, "code"), function = type_named(heap, "function");
  for (const HeapNode& node : heap.nodes) {
    if (node.type == 0 || (node.type != code && node.type != function)) continue;
    auto object = reinterpret_cast<Object>(node.key);
    if (node.type == function)
      note_function(object);
    else if (is_code(object) && origin_of(object) == wanted)
      note(object);
  }
  note_inner();
}

void CodeSection::fill(const HeapGraph& heap, Object main_module) noexcept {
  text_bytes_before_ = texts_.bytes().size();
  note(main_module);
  for (const HeapRoot& root : heap.roots) note(root.name);
  note_inner();
  note_heap(heap, Origin::file);
  const size_t of_files = found_.size();
  note_heap(heap, Origin::typed);
  for (size_t i = 0; i < found_.size() && !g_snapshot_is_short; ++i) {
    if (is_full()) {
      lost_ = static_cast<uint32_t>(of_files - std::min(of_files, i));
      return;
    }
    write(found_[i]);
  }
}

bool CodeSection::is_full() const noexcept {
  size_t texts = texts_.bytes().size() - text_bytes_before_;
  return codes_.size() == kMostCodes || words_.bytes() + bytes_.bytes() + texts >= kMostBytes;
}

// ---- what is written of each ----

void CodeSection::write(Object code) noexcept {
  const ObjectLayout& layout = *api_.objects;
  SnapshotCode out{};
  char path[kMostPath];
  int length = reader_.copy_file_name(code, path, sizeof path);
  out.file = texts_.add(path, static_cast<size_t>(length));
  write_name(code, &out);
  out.first_line = reader_.first_line(code);
  out.co_flags = load<uint32_t>(code, layout.code_flags);
  out.arguments = load<uint32_t>(code, layout.code_arguments);
  out.keyword_only_arguments = load<uint32_t>(code, layout.code_keyword_only);
  write_bytes(code, &out);
  out.words = static_cast<uint32_t>(words_.size());
  write_names(code, &out);
  write_variables(code, &out);
  write_constants(code, &out);
  codes_.push(out);
}

void CodeSection::write_name(Object code, SnapshotCode* out) noexcept {
  char name[kMostPath];
  uint32_t at = qualified_.find(reinterpret_cast<uint64_t>(code));
  bool is_of_function = at != AddressMap::kNone && api_.version() < 0x30b;
  int length = is_of_function
                   ? copy_utf8_tail(view_str(*api_.frames, qualified_names_[at]), name, sizeof name)
                   : reader_.copy_function_name(code, name, sizeof name);
  out->name = texts_.add(name, static_cast<size_t>(length));
  if (is_of_function || api_.version() >= 0x30b) out->flags |= ledger::kCodeNameIsQualified;
}

void CodeSection::write_bytes(Object code, SnapshotCode* out) noexcept {
  const Bytecode bytecode = reader_.bytecode(code);
  const auto instructions = static_cast<size_t>(bytecode.size > 0 ? bytecode.size : 0);
  const size_t start = bytes_.size(), room = kMostBytes;
  if (instructions > room || bytecode.lines.size > room) return;
  if (!bytes_.extend_to(start + instructions + bytecode.lines.size)) return;
  copy_instructions(bytecode, bytes_.data() + start);
  if (bytecode.lines.size > 0)
    memcpy(bytes_.data() + start + instructions, bytecode.lines.bytes, bytecode.lines.size);
  out->instructions = static_cast<uint32_t>(start);
  out->instruction_bytes = static_cast<uint32_t>(instructions);
  out->lines = static_cast<uint32_t>(start + instructions);
  out->line_bytes = static_cast<uint32_t>(bytecode.lines.size);
}

uint32_t CodeSection::text_of(Object str) noexcept {
  if (!str || !type_of(str) || !(flags_of(str) & kIsStr)) return 0;
  return texts_.add(ShortText().add_str(view_str(*api_.frames, str)));
}

void CodeSection::write_names(Object code, SnapshotCode* out) noexcept {
  Object names = load_pointer(code, api_.objects->code_names);
  out->names = static_cast<uint32_t>(items_of(names));
  for (uint32_t i = 0; i < out->names; ++i) words_.push(text_of(tuple_item(names, i)));
}

void CodeSection::write_variables_of(Object names, uint32_t kind, SnapshotCode* out) noexcept {
  for (int64_t i = 0, n = items_of(names); i < n; ++i, ++out->variables) {
    words_.push(text_of(tuple_item(names, i)));
    words_.push(kind);
  }
}

void CodeSection::write_variables(Object code, SnapshotCode* out) noexcept {
  const ObjectLayout& layout = *api_.objects;
  if (api_.version() < 0x30b) {
    write_variables_of(load_pointer(code, layout.code_local_names), ledger::kCodeVariableIsLocal,
                       out);
    write_variables_of(load_pointer(code, layout.code_cell_names), ledger::kCodeVariableIsCell,
                       out);
    write_variables_of(load_pointer(code, layout.code_free_names), ledger::kCodeVariableIsFree,
                       out);
    return;
  }
  Object names = load_pointer(code, layout.code_locals_plus_names);
  const BytesView kinds = view_bytes(load_pointer(code, layout.code_variable_kinds));
  out->variables = static_cast<uint32_t>(items_of(names));
  for (uint32_t i = 0; i < out->variables; ++i) {
    const uint8_t kind = i < kinds.size ? kinds.data[i] : kLocal;
    words_.push(text_of(tuple_item(names, i)));
    words_.push((kind & kLocal ? ledger::kCodeVariableIsLocal : 0) |
                (kind & kCell ? ledger::kCodeVariableIsCell : 0) |
                (kind & kFree ? ledger::kCodeVariableIsFree : 0));
  }
}

void CodeSection::write_constants(Object code, SnapshotCode* out) noexcept {
  Object constants = load_pointer(code, api_.objects->code_constants);
  out->constants = static_cast<uint32_t>(items_of(constants));
  for (uint32_t i = 0; i < out->constants; ++i) write_constant(tuple_item(constants, i));
}

bool CodeSection::is_short_text(Object o) const noexcept {
  return o && type_of(o) && flags_of(o) & kIsStr &&
         view_str(*api_.frames, o).length <= ledger::kLongestCodeText;
}

// False: it is not made of short texts alone, or they are too many.
bool CodeSection::add_texts(Object tuple, ShortText* out) const noexcept {
  const int64_t items = items_of(tuple);
  for (int64_t i = 0; i < items; ++i) {
    Object item = tuple_item(tuple, i);
    if (!is_short_text(item)) return false;
    const size_t before = out->size();
    if (i > 0) out->add("\n");
    out->add_str(view_str(*api_.frames, item));
    if (out->size() <= before || out->is_full()) return false;
  }
  return items > 0;
}

void CodeSection::write_constant(Object constant) noexcept {
  CodeConstant kind = CodeConstant::other;
  uint32_t value = 0;
  int64_t number = 0;
  ShortText texts;
  if (!constant || !type_of(constant)) {
    kind = CodeConstant::other;
  } else if (is_named(constant, "NoneType")) {
    kind = CodeConstant::none;
  } else if (is_number(constant)) {
    kind = CodeConstant::number;
    const bool is_int = flags_of(constant) & kIsLong && read_int(constant, api_.version(), &number);
    if (is_int && number >= 0 && number <= kLargestNumber) value = static_cast<uint32_t>(number);
  } else if (is_short_text(constant)) {
    kind = CodeConstant::text;
    value = text_of(constant);
  } else if (is_code(constant)) {
    const uint32_t at = numbers_.find(reinterpret_cast<uint64_t>(constant));
    if (at != AddressMap::kNone) kind = CodeConstant::code, value = at;
  } else if (add_texts(constant, &texts)) {
    kind = CodeConstant::texts;
    value = texts_.add(texts);
  }
  words_.push(static_cast<uint32_t>(kind));
  words_.push(value);
}

}  // namespace tenure::inproc
