// inproc/stacks/python_frames.cpp: the reader behind python_frames.h.
#include "inproc/stacks/python_frames.h"

#include <cstring>
#include <iterator>
#include <utility>

#include "base/python_lines.h"
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

// Whether it is the interpreter's own code, as it runs between a class that is called often and its __init__: one string is
// its file and its name. No traceback shows it, and the same call has it or not as the interpreter pleases.
template <const PythonLayout& layout>
bool is_interpreters_own(const char* code) noexcept {
  return load_pointer(code, layout.code_file) == load_pointer(code, layout.code_qualname);
}

// The frame's code object; nullptr for frames that only mark an entry from C, and for anything else
// that runs no Python code of the program.
template <const PythonLayout& layout>
const char* code_of(const char* frame, const void* code_type) noexcept {
  if constexpr (layout.version >= 0x30c)
    if (load<uint8_t>(frame, layout.frame_owner) >= kFirstShimOwner) return nullptr;
  const char* code =
      reinterpret_cast<const char*>(load<uintptr_t>(frame, layout.frame_code) & ~kPointerTags);
  if (!code || load<const void*>(code, kObjectType) != code_type) return nullptr;
  if constexpr (layout.version >= 0x30c)
    if (is_interpreters_own<layout>(code)) return nullptr;
  return code;
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

// interned and ready may change while a str lives; kind, compact and ascii may not.
constexpr uint32_t kStrShape = 0x7c;

// Sizes first: other objects may be at the addresses by now, and only what they say may be read.
template <const PythonLayout& layout>
[[gnu::always_inline]] inline bool still_holds(const CodeMemo& memo, const char* code) noexcept {
  return memo.code == code && load_pointer(code, layout.code_file) == memo.file &&
         load_pointer(code, layout.code_name) == memo.name &&
         load_pointer(code, layout.code_qualname) == memo.qualname &&
         load_pointer(code, layout.code_lines) == memo.lines &&
         load<int32_t>(code, layout.code_first_line) == memo.first_line &&
         load<int64_t>(memo.file, kStrLength) == memo.file_length &&
         ((load<uint32_t>(memo.file, kStrState) ^ memo.file_state) & kStrShape) == 0 &&
         load<int64_t>(memo.lines, kVarObjectSize) == memo.lines_size &&
         load<uint64_t>(memo.file_tail_at, 0) == memo.file_tail &&
         load<uint64_t>(memo.lines_tail_at, 0) == memo.lines_tail;
}

// Leaves the memo empty for a code object with a short or strange file name or line table.
template <const PythonLayout& layout>
void remember(CodeMemo& memo, const char* code) noexcept {
  memo.code = nullptr;
  memo.file = load_pointer(code, layout.code_file);
  memo.name = load_pointer(code, layout.code_name);
  memo.qualname = load_pointer(code, layout.code_qualname);
  memo.lines = load_pointer(code, layout.code_lines);
  memo.first_line = load<int32_t>(code, layout.code_first_line);
  memo.fingerprint = fingerprint<layout>(code);
  if (!memo.file || !memo.lines) return;
  memo.file_state = load<uint32_t>(memo.file, kStrState);
  const StrView name = view_str(layout, memo.file);
  const BytesView line_table = view_bytes(memo.lines);
  const int64_t name_bytes = name.length * name.width;
  const bool is_compact = memo.file_state & 1u << 5;
  if (!is_compact || name_bytes < 8 || line_table.size < 8) return;
  memo.file_length = name.length;
  memo.lines_size = line_table.size;
  memo.file_tail_at = name.data + name_bytes - 8;
  memo.lines_tail_at = reinterpret_cast<const char*>(line_table.data) + line_table.size - 8;
  memo.file_tail = load<uint64_t>(memo.file_tail_at, 0);
  memo.lines_tail = load<uint64_t>(memo.lines_tail_at, 0);
  memo.code = code;
}

template <const PythonLayout& layout>
uint64_t fingerprint(const char* code, CodeMemos& memos) noexcept {
  CodeMemo& memo = memos.at(code);
  if (!still_holds<layout>(memo, code)) remember<layout>(memo, code);
  return memo.fingerprint;
}

template <const PythonLayout& layout>
int capture(const void* thread_state, const void* code_type, RawPythonFrame* out, int max,
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

// A walk along the last stack for as long as it is the same, and beside it where it is not.
template <const PythonLayout& layout>
class WalkSince {
 public:
  WalkSince(const void* code_type, const LastPythonStack& last, SeenPythonFrame* out, int max)
      : code_type_(code_type), last_(last), out_(out), max_(max), expected_(last.depth - 1) {}

  PythonCapture run(const char* frame) noexcept {
    for (int left = kLongestWalk; left > 0 && !is_truncated_; left--) {
      frame = follow_last(frame);
      if (!frame) break;
      if (skip_returned(frame)) continue;
      if (const char* code = code_of<layout>(frame, code_type_)) see(frame, code);
      frame = load_pointer(frame, layout.frame_back);
    }
    const bool is_whole = !frame && expected_ < 0 && fresh_ + run_start_ + 1 <= max_;
    if (!is_whole) end_run();
    return {fresh_ + run_start_ + 1, run_start_ + 1, is_truncated_};
  }

 private:
  // From frame to frame as long as they are as they were; gives the first that is not. The hot loop: nothing in it may
  // need memory of its own.
  const char* follow_last(const char* frame) noexcept {
    const PlacedPythonFrame* then = last_.frames + expected_;
    const PlacedPythonFrame* const end = last_.frames - 1;
    CodeMemos* const memos = last_.memos;
    for (; then != end && then->seen.raw.frame == frame; --then) {
      // Read at our own copy of the address, so that no load has to wait for the one that found the frame.
      const char* at = static_cast<const char*>(then->seen.raw.frame);
      asm("" : "+r"(at));
      if (!is_as_it_was(*then, at, memos)) break;
      frame = load_pointer(at, layout.frame_back);
    }
    const int before = expected_;
    expected_ = int(then - last_.frames);
    if (expected_ != before && run_start_ < 0) run_start_ = before;
    return frame;
  }

  static bool is_as_it_was(const PlacedPythonFrame& then, const char* frame,
                           CodeMemos* memos) noexcept {
    if (load<uintptr_t>(frame, layout.frame_code) != then.seen.code_word ||
        instruction_word(frame) != then.seen.instruction_word)
      return false;
    const char* code = static_cast<const char*>(then.seen.raw.code);
    if (still_holds<layout>(*then.memo, code) &&
        then.memo->fingerprint == then.seen.raw.fingerprint) [[likely]]
      return true;
    return has_fingerprint(code, then.seen.raw.fingerprint, memos);
  }

  [[gnu::noinline]] static bool has_fingerprint(const char* code, uint64_t wanted,
                                                CodeMemos* memos) noexcept {
    return fingerprint<layout>(code, *memos) == wanted;
  }

  // Whether the frame is further out in the last stack: the calls inside it have returned since.
  bool skip_returned(const char* frame) noexcept {
    const int furthest = expected_ > kMostReturned ? expected_ - kMostReturned : 0;
    for (int i = expected_ - 1; i >= furthest; i--) {
      if (last_.frames[i].seen.raw.frame != frame) continue;
      end_run();
      expected_ = i;
      return true;
    }
    return false;
  }

  static uintptr_t instruction_word(const char* frame) noexcept {
    if constexpr (layout.code_units != kNoField)
      return load<uintptr_t>(frame, layout.frame_instruction);
    else
      return load<uint32_t>(frame, layout.frame_instruction);
  }

  // A frame that is not in the last stack, or not as it was: everything seen until here is new.
  [[gnu::noinline]] void see(const char* frame, const char* code) noexcept {
    end_run();
    if (expected_ >= 0 && last_.frames[expected_].seen.raw.frame == frame) expected_--;
    add({{code, instruction_offset<layout>(frame, code), fingerprint<layout>(code, *last_.memos),
          frame},
         load<uintptr_t>(frame, layout.frame_code),
         instruction_word(frame)});
  }

  // The frames of the run turned out to lie inside another one than before.
  void end_run() noexcept {
    for (; run_start_ > expected_; run_start_--) add(last_.frames[run_start_].seen);
    run_start_ = -1;
  }

  void add(const SeenPythonFrame& seen) noexcept {
    if (fresh_ < max_)
      out_[fresh_++] = seen;
    else
      is_truncated_ = true;
  }

  static constexpr int kMostReturned = 16;
  const void* const code_type_;
  const LastPythonStack& last_;
  SeenPythonFrame* const out_;
  const int max_;
  int expected_;        // in the last stack; below zero: past its outermost frame
  int run_start_ = -1;  // innermost frame of the last stack that is part of the present run
  int fresh_ = 0;
  bool is_truncated_ = false;
};

template <const PythonLayout& layout>
PythonCapture capture_since(const void* thread_state, const void* code_type,
                            const LastPythonStack& last, SeenPythonFrame* out, int max) noexcept {
  return WalkSince<layout>(code_type, last, out, max).run(innermost_frame<layout>(thread_state));
}

template <size_t... indices>
PythonWalks find_walks(int version, std::index_sequence<indices...>) noexcept {
  PythonWalks found{};
  ((kPythonLayouts[indices].version == version
        ? void(found = {capture<kPythonLayouts[indices]>, capture_since<kPythonLayouts[indices]>})
        : void()),
   ...);
  return found;
}

PythonWalks find_walks(int version) noexcept {
  return find_walks(version, std::make_index_sequence<std::size(kPythonLayouts)>());
}

}  // namespace

ReaderState PythonReader::start(SymbolLookup lookup) noexcept {
  state_.store(examine(lookup), std::memory_order_release);
  return notice_interpreters();
}

ReaderState PythonReader::examine(SymbolLookup lookup) noexcept {
  version_ = find_version(lookup);
  this_thread_state_ = find<GetThreadState>(lookup, "PyGILState_GetThisThreadState");
  running_ = find<GetThreadState>(lookup, "_PyThreadState_UncheckedGet");
  newest_interpreter_ = find<GetInterpreter>(lookup, "PyInterpreterState_Head");
  main_interpreter_ = find<GetInterpreter>(lookup, "PyInterpreterState_Main");
  code_type_ = lookup("PyCode_Type");
  if (!version_ || !this_thread_state_ || !code_type_) return ReaderState::absent;
  const PythonLayout* layout = python_layout(version_);
  if (!layout) return ReaderState::unknown_version;
  layout_ = *layout;
  walks_ = find_walks(version_);
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
  return thread_state ? walks_.capture(thread_state, code_type_, out, max, truncated) : 0;
}

PythonCapture PythonReader::capture_since(const LastPythonStack& last, SeenPythonFrame* out,
                                          int max) const noexcept {
  if (state() != ReaderState::on) return {};
  const void* thread_state = this_thread_state_();
  if (!thread_state) return {};
  return walks_.capture_since(thread_state, code_type_, last, out, max);
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
