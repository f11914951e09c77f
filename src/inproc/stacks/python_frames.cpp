// inproc/stacks/python_frames.cpp: the reader behind python_frames.h.
#include "inproc/stacks/python_frames.h"

#include <cstring>
#include <iterator>
#include <utility>

#include "inproc/stacks/python_lines.h"
#include "inproc/stacks/python_strings.h"

namespace tenure::inproc {
namespace {

constexpr int kLongestWalk =
    1 << 16;  // frames looked at in one capture: a bound for a chain that is no chain
constexpr uintptr_t kPointerTags =
    3;  // 3.14+: low bits of a frame's reference to its code are tags, zero before

template <typename Function>
Function find(SymbolLookup lookup, const char* name) noexcept {
  return reinterpret_cast<Function>(lookup(name));
}

int find_version(SymbolLookup lookup) noexcept {
  if (const auto* hex = find<const unsigned long*>(lookup, "Py_Version"))
    return int(*hex >> 16);  // 3.11+
  const auto get_version = find<const char* (*)()>(lookup, "Py_GetVersion");
  return get_version ? parse_version(get_version()) : 0;
}

// 3.13+ say so in their version text; the debug offsets say it too, but they need not be exported.
bool says_free_threading(SymbolLookup lookup) noexcept {
  const auto get_version = find<const char* (*)()>(lookup, "Py_GetVersion");
  return get_version && std::strstr(get_version(), "free-threading");
}

// A build with Py_TRACE_REFS has two more words at the head of every object.
bool object_head_fits(SymbolLookup lookup, const void* code_type) noexcept {
  return load<void*>(code_type, kObjectType) == lookup("PyType_Type");
}

// --- the stack: compiled once per layout, so that every offset is a constant ---------------------

__extension__ typedef unsigned __int128 uint128;  // NOLINT(modernize-use-using)

uint64_t fold(uint64_t a, uint64_t b) noexcept {
  const uint128 product = uint128(a) * b;
  return uint64_t(product) ^ uint64_t(product >> 64);
}

template <const PythonLayout& layout>
const char* innermost_frame(const void* thread_state) noexcept {
  const char* frame = load_pointer(thread_state, layout.thread_frame);
  if constexpr (layout.cframe_frame == kNoField) return frame;
  return frame ? load_pointer(frame, layout.cframe_frame) : nullptr;
}

// The frame's code object; nullptr for frames that only mark an entry from C, and for anything else
// that runs no Python code.
template <const PythonLayout& layout>
const char* code_of(const char* frame, const void* code_type) noexcept {
  if constexpr (layout.version >= 0x30c)
    if (load<uint8_t>(frame, layout.frame_owner) >= kFirstShimOwner) return nullptr;
  const char* code =
      reinterpret_cast<const char*>(load<uintptr_t>(frame, layout.frame_code) & ~kPointerTags);
  return code && load<const void*>(code, kObjectType) == code_type ? code : nullptr;
}

template <const PythonLayout& layout>
int32_t instruction_offset(const char* frame, const char* code) noexcept {
  if constexpr (layout.code_units != kNoField)
    return int32_t(load_pointer(frame, layout.frame_instruction) - (code + layout.code_units));
  else
    return load<int32_t>(frame, layout.frame_instruction) *
           (layout.version == 0x30a ? 2 : 1);  // 3.10 counts instructions, the others bytes
}

template <const PythonLayout& layout>
uint64_t fingerprint(const char* code) noexcept {
  const char* file = load_pointer(code, layout.code_file);
  const char* lines = load_pointer(code, layout.code_lines);
  const BytesView line_table = view_bytes(lines);
  const uint64_t file_end = str_tail_word(layout, file);
  const uint64_t lines_end = tail_word(line_table.data, line_table.size);
  const uint64_t names =
      load<uint64_t>(code, layout.code_name) + load<uint64_t>(code, layout.code_qualname) * 5;
  const uint64_t numbers =
      uint64_t(line_table.size) << 32 | load<uint32_t>(code, layout.code_first_line);
  return fold(reinterpret_cast<uintptr_t>(file) ^ 0x9e3779b97f4a7c15ull,
              reinterpret_cast<uintptr_t>(lines) ^ 0xc2b2ae3d27d4eb4full) +
         fold(names ^ 0x165667b19e3779f9ull, numbers ^ 0xff51afd7ed558ccdull) +
         fold(file_end ^ 0xc4ceb9fe1a85ec53ull, lines_end ^ 0x2545f4914f6cdd1dull);
}

template <const PythonLayout& layout>
int walk(const void* thread_state, const void* code_type, RawPythonFrame* out, int max,
         bool* truncated) noexcept {
  RawPythonFrame* next = out;
  RawPythonFrame* const end = out + max;
  const char* frame = innermost_frame<layout>(thread_state);
  for (int looked_at = 0; frame && looked_at < kLongestWalk; looked_at++) {
    if (const char* code = code_of<layout>(frame, code_type)) [[likely]] {
      if (next == end) {
        *truncated = true;
        break;
      }
      *next++ = {code, instruction_offset<layout>(frame, code), fingerprint<layout>(code), frame};
    }
    frame = load_pointer(frame, layout.frame_back);
  }
  return int(next - out);
}

template <size_t... indices>
StackWalk find_walk(int version, std::index_sequence<indices...>) noexcept {
  StackWalk found = nullptr;
  ((kPythonLayouts[indices].version == version ? void(found = walk<kPythonLayouts[indices]>)
                                               : void()),
   ...);
  return found;
}

StackWalk find_walk(int version) noexcept {
  return find_walk(version, std::make_index_sequence<std::size(kPythonLayouts)>());
}

}  // namespace

ReaderState PythonReader::start(SymbolLookup lookup) noexcept {
  state_.store(examine(lookup), std::memory_order_release);
  return notice_interpreters();
}

ReaderState PythonReader::examine(SymbolLookup lookup) noexcept {
  version_ = find_version(lookup);
  this_thread_state_ = find<GetThreadState>(lookup, "PyGILState_GetThisThreadState");
  newest_interpreter_ = find<GetInterpreter>(lookup, "PyInterpreterState_Head");
  main_interpreter_ = find<GetInterpreter>(lookup, "PyInterpreterState_Main");
  code_type_ = lookup("PyCode_Type");
  if (!version_ || !this_thread_state_ || !code_type_) return ReaderState::absent;
  const PythonLayout* layout = python_layout(version_);
  if (!layout) return ReaderState::unknown_version;
  layout_ = *layout;
  walk_ = find_walk(version_);
  iterators_.start(lookup, version_);
  if (says_free_threading(lookup)) return ReaderState::free_threaded;
  if (!object_head_fits(lookup, code_type_)) return ReaderState::self_test_failed;
  switch (check_layout(layout_, lookup("_PyRuntime"))) {
    case LayoutCheck::free_threaded:
      return ReaderState::free_threaded;
    case LayoutCheck::disagrees:
      return ReaderState::self_test_failed;
    case LayoutCheck::agrees:
    case LayoutCheck::not_described:
      break;
  }
  return ReaderState::on;
}

ReaderState PythonReader::notice_interpreters() noexcept {
  if (state() == ReaderState::on && newest_interpreter_ && main_interpreter_ &&
      newest_interpreter_() != main_interpreter_())
    state_.store(ReaderState::subinterpreters, std::memory_order_relaxed);
  return state();
}

int PythonReader::capture(RawPythonFrame* out, int max, bool* truncated) const noexcept {
  *truncated = false;
  if (state() != ReaderState::on) return 0;
  const void* thread_state = this_thread_state_();
  return thread_state ? walk_(thread_state, code_type_, out, max, truncated) : 0;
}

// --- what a code object says of itself -----------------------------------------------------------

int PythonReader::copy_file_name(const void* code, char* out, int capacity) const noexcept {
  return copy_utf8_tail(view_str(layout_, load_pointer(code, layout_.code_file)), out, capacity);
}

int PythonReader::copy_function_name(const void* code, char* out, int capacity) const noexcept {
  return copy_utf8_tail(view_str(layout_, load_pointer(code, layout_.code_qualname)), out,
                        capacity);
}

int PythonReader::copy_plain_name(const void* code, char* out, int capacity) const noexcept {
  return copy_utf8_tail(view_str(layout_, load_pointer(code, layout_.code_name)), out, capacity);
}

int PythonReader::first_line(const void* code) const noexcept {
  return load<int32_t>(code, layout_.code_first_line);
}

int PythonReader::line(const void* code, int lasti) const noexcept {
  return line_at(line_table(code), lasti);
}

LineTable PythonReader::line_table(const void* code) const noexcept {
  const BytesView table = view_bytes(load_pointer(code, layout_.code_lines));
  return {line_format(version_), table.data, size_t(table.size), first_line(code)};
}

int PythonReader::loops(const void* code, LoopRange* out, int max) const noexcept {
  return find_loops(bytecode(code), out, max);
}

int32_t PythonReader::for_exit(const void* code, int32_t start) const noexcept {
  return inproc::for_exit(bytecode(code), start);
}

bool PythonReader::position(const RawPythonFrame& frame, int outer,
                            IteratorPosition* out) const noexcept {
  const void* stack = value_stack(layout_, frame.frame, frame.code);
  return stack && iterators_.find(stack, outer, out);
}

Bytecode PythonReader::bytecode(const void* code) const noexcept {
  Bytecode result{version_, nullptr, 0, line_table(code)};
  if (layout_.code_units == kNoField) {
    const BytesView bytes = view_bytes(load_pointer(code, layout_.code_bytes));
    result.bytes = bytes.data;
    result.size = int32_t(bytes.size);
    return result;
  }
  const int64_t units = load<int64_t>(code, kVarObjectSize);
  const BytesView exceptions = view_bytes(load_pointer(code, layout_.code_exceptions));
  result.bytes = static_cast<const uint8_t*>(code) + layout_.code_units;
  result.size = units > 0 && units < kLongestObject ? int32_t(units * 2) : 0;
  result.exceptions = exceptions.data;
  result.exceptions_size = size_t(exceptions.size);
  result.hidden = hidden_opcodes(code);
  return result;
}

HiddenOpcodes PythonReader::hidden_opcodes(const void* code) const noexcept {
  HiddenOpcodes hidden;
  if (layout_.code_executors != kNoField)
    hidden.executors = load_pointer(code, layout_.code_executors);
  const char* monitoring =
      layout_.code_monitoring != kNoField ? load_pointer(code, layout_.code_monitoring) : nullptr;
  if (!monitoring) return hidden;
  hidden.by_instruction = load<const uint8_t*>(monitoring, layout_.monitoring_opcodes);
  hidden.by_line = load<const uint8_t*>(monitoring, layout_.monitoring_lines);
  hidden.by_line_stride = 2;
  // Two forms, changed in the middle of 3.13: pairs {u8 opcode; i8 line delta}, then {u8 bytes per
  // entry; entries, the opcode first}. The size of an entry is 2 to 5, and no code begins with an
  // opcode of that number.
  if (hidden.by_line && *hidden.by_line >= 2 && *hidden.by_line <= 5) {
    hidden.by_line_stride = *hidden.by_line;
    hidden.by_line++;
  }
  return hidden;
}

// --- self-test -----------------------------------------------------------------------------------

bool PythonReader::frame_is(const RawPythonFrame& frame,
                            const ExpectedPythonFrame& expected) const noexcept {
  char text[512];
  copy_file_name(frame.code, text, sizeof text);
  if (std::strcmp(text, expected.file) != 0) return false;
  copy_plain_name(frame.code, text, sizeof text);
  return std::strcmp(text, expected.function) == 0 &&
         line(frame.code, frame.lasti) == expected.line;
}

bool PythonReader::self_test(const RawPythonFrame* captured, int captured_count,
                             const ExpectedPythonFrame* expected, int expected_count) noexcept {
  bool fits = captured_count >= expected_count;
  for (int i = 0; fits && i < expected_count; i++) fits = frame_is(captured[i], expected[i]);
  if (!fits && state() == ReaderState::on)
    state_.store(ReaderState::self_test_failed, std::memory_order_relaxed);
  return fits;
}

}  // namespace tenure::inproc
