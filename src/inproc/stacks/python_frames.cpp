// inproc/stacks/python_frames.cpp: the reader behind python_frames.h.
#include "inproc/stacks/python_frames.h"

#include <cstring>

#include "base/hash.h"
#include "inproc/stacks/python_lines.h"
#include "inproc/stacks/python_strings.h"

namespace tenure::inproc {
namespace {

constexpr int kLongestWalk = 1 << 16;          // frames looked at in one capture: a bound for a chain that is no chain
constexpr uintptr_t kPointerTags = 3;          // 3.14+: low bits of a frame's reference to its code are tags, zero before

template <typename Function>
Function find(SymbolLookup lookup, const char* name) noexcept {
  return reinterpret_cast<Function>(lookup(name));
}

int find_version(SymbolLookup lookup) noexcept {
  if (const auto* hex = find<const unsigned long*>(lookup, "Py_Version")) return int(*hex >> 16);  // 3.11+
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

}  // namespace

ReaderState PythonReader::start(SymbolLookup lookup) noexcept {
  state_.store(examine(lookup), std::memory_order_relaxed);
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
  if (says_free_threading(lookup)) return ReaderState::free_threaded;
  if (!object_head_fits(lookup, code_type_)) return ReaderState::self_test_failed;
  switch (check_layout(layout_, lookup("_PyRuntime"))) {
    case LayoutCheck::free_threaded: return ReaderState::free_threaded;
    case LayoutCheck::disagrees: return ReaderState::self_test_failed;
    case LayoutCheck::agrees:
    case LayoutCheck::not_described: break;
  }
  return ReaderState::on;
}

ReaderState PythonReader::notice_interpreters() noexcept {
  if (state() == ReaderState::on && newest_interpreter_ && main_interpreter_ && newest_interpreter_() != main_interpreter_())
    state_.store(ReaderState::subinterpreters, std::memory_order_relaxed);
  return state();
}

// --- the stack -----------------------------------------------------------------------------------------------

inline const char* PythonReader::innermost_frame(const void* thread_state) const noexcept {
  const char* frame = load_pointer(thread_state, layout_.thread_frame);
  if (layout_.cframe_frame == kNoField || !frame) return frame;
  return load_pointer(frame, layout_.cframe_frame);
}

inline bool PythonReader::is_python_code(const void* frame, const char* code) const noexcept {
  if (layout_.version >= 0x30c && load<uint8_t>(frame, layout_.frame_owner) >= kFirstShimOwner) return false;
  return code && load<const void*>(code, kObjectType) == code_type_;
}

inline int32_t PythonReader::instruction_offset(const void* frame, const char* code) const noexcept {
  if (layout_.code_units != kNoField) return int32_t(load_pointer(frame, layout_.frame_instruction) - (code + layout_.code_units));
  const int32_t index = load<int32_t>(frame, layout_.frame_instruction);
  return layout_.version == 0x30a ? index * 2 : index;  // 3.10 counts instructions, the others bytes
}

// One multiplication per word, none waiting for another: the loads dominate.
inline uint64_t PythonReader::fingerprint(const char* code) const noexcept {
  const char* file = load_pointer(code, layout_.code_file);
  const char* lines = load_pointer(code, layout_.code_lines);
  const StrView file_name = view_str(layout_, file);
  const BytesView line_table = view_bytes(lines);
  uint64_t sum = reinterpret_cast<uintptr_t>(file) * 0x9e3779b97f4a7c15ull;
  sum += reinterpret_cast<uintptr_t>(lines) * 0xc2b2ae3d27d4eb4full;
  sum += load<uint64_t>(code, layout_.code_name) * 0x165667b19e3779f9ull;
  sum += load<uint64_t>(code, layout_.code_qualname) * 0xd6e8feb86659fd93ull;
  sum += (uint64_t(line_table.size) << 32 | load<uint32_t>(code, layout_.code_first_line)) * 0xff51afd7ed558ccdull;
  sum += tail_word(line_table.data, line_table.size) * 0xc4ceb9fe1a85ec53ull;
  sum += tail_word(file_name.data, file_name.length * file_name.width) * 0x2545f4914f6cdd1dull;
  return mix(sum);
}

int PythonReader::capture(RawPythonFrame* out, int max, bool* truncated) const noexcept {
  *truncated = false;
  if (state() != ReaderState::on) return 0;
  const void* thread_state = this_thread_state_();
  if (!thread_state) return 0;
  int count = 0;
  int looked_at = 0;
  for (const char* frame = innermost_frame(thread_state); frame && looked_at < kLongestWalk; looked_at++) {
    const char* code = reinterpret_cast<const char*>(load<uintptr_t>(frame, layout_.frame_code) & ~kPointerTags);
    if (is_python_code(frame, code)) {
      if (count == max) {
        *truncated = true;
        break;
      }
      out[count++] = {code, instruction_offset(frame, code), fingerprint(code)};
    }
    frame = load_pointer(frame, layout_.frame_back);
  }
  return count;
}

// --- what a code object says of itself ----------------------------------------------------------------------------

int PythonReader::copy_file_name(const void* code, char* out, int capacity) const noexcept {
  return copy_utf8_tail(view_str(layout_, load_pointer(code, layout_.code_file)), out, capacity);
}

int PythonReader::copy_function_name(const void* code, char* out, int capacity) const noexcept {
  return copy_utf8_tail(view_str(layout_, load_pointer(code, layout_.code_qualname)), out, capacity);
}

int PythonReader::copy_plain_name(const void* code, char* out, int capacity) const noexcept {
  return copy_utf8_tail(view_str(layout_, load_pointer(code, layout_.code_name)), out, capacity);
}

int PythonReader::first_line(const void* code) const noexcept { return load<int32_t>(code, layout_.code_first_line); }

int PythonReader::line(const void* code, int lasti) const noexcept {
  return line_at(line_table(code), lasti);
}

LineTable PythonReader::line_table(const void* code) const noexcept {
  const BytesView table = view_bytes(load_pointer(code, layout_.code_lines));
  return {line_format(version_), table.data, size_t(table.size), first_line(code)};
}

int PythonReader::loops(const void* code, LoopRange* out, int max) const noexcept { return find_loops(bytecode(code), out, max); }

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
  if (layout_.code_executors != kNoField) hidden.executors = load_pointer(code, layout_.code_executors);
  const char* monitoring = layout_.code_monitoring != kNoField ? load_pointer(code, layout_.code_monitoring) : nullptr;
  if (!monitoring) return hidden;
  hidden.by_instruction = load<const uint8_t*>(monitoring, layout_.monitoring_opcodes);
  hidden.by_line = load<const uint8_t*>(monitoring, layout_.monitoring_lines);
  hidden.by_line_stride = 2;  // 3.12, 3.13: {u8 opcode; i8 line delta}
  if (hidden.by_line && version_ >= 0x30e) {
    hidden.by_line_stride = *hidden.by_line;  // then {u8 bytes per entry; entries, the opcode first}
    hidden.by_line++;
  }
  return hidden;
}

// --- self-test ----------------------------------------------------------------------------------------------------

bool PythonReader::frame_is(const RawPythonFrame& frame, const ExpectedPythonFrame& expected) const noexcept {
  char text[512];
  copy_file_name(frame.code, text, sizeof text);
  if (std::strcmp(text, expected.file) != 0) return false;
  copy_plain_name(frame.code, text, sizeof text);
  return std::strcmp(text, expected.function) == 0 && line(frame.code, frame.lasti) == expected.line;
}

bool PythonReader::self_test(const RawPythonFrame* captured, int captured_count, const ExpectedPythonFrame* expected,
                             int expected_count) noexcept {
  bool fits = captured_count >= expected_count;
  for (int i = 0; fits && i < expected_count; i++) fits = frame_is(captured[i], expected[i]);
  if (!fits && state() == ReaderState::on) state_.store(ReaderState::self_test_failed, std::memory_order_relaxed);
  return fits;
}

}  // namespace tenure::inproc
