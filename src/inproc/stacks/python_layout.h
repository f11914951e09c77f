// inproc/stacks/python_layout.h: where CPython keeps the few fields Tenure reads, for each minor
// version it knows.
// World: inside the program. Immutable tables and pure functions; any thread.
//
// The numbers are byte offsets on x86_64 and other little-endian LP64 machines, printed by
// tools/gen_python_layout.py from the headers of each version (GIL builds; a free-threaded build
// has other offsets and is refused by the reader). One binary serves all versions.
#pragma once
#include <cstdint>
#include <cstring>

namespace tenure::inproc {

constexpr int kNoField = -1;  // this version has no such field

struct PythonLayout {
  int version;  // 0x30b for 3.11

  // From the thread state to the innermost frame: directly, or (3.11, 3.12) by way of a _PyCFrame.
  int16_t thread_frame;
  int16_t cframe_frame;

  // PyFrameObject up to 3.10, _PyInterpreterFrame from 3.11 on.
  int16_t frame_code;
  int16_t frame_back;
  int16_t frame_instruction;  // an index up to 3.10, the address of the instruction from 3.11 on
  int16_t frame_owner;        // who owns the frame; `kFirstShimOwner` and above own no Python code

  // PyCodeObject
  int16_t code_bytes;  // pointer to a bytes object with the instructions: up to 3.10
  int16_t code_units;  // the instructions themselves: from 3.11 on
  int16_t code_exceptions;
  int16_t code_qualname;  // the place of co_name where there is no co_qualname
  int16_t code_lines;
  int16_t code_file;
  int16_t code_name;
  int16_t code_first_line;
  int16_t code_executors;   // 3.13+: what the JIT replaced
  int16_t code_monitoring;  // 3.12+: what debuggers and coverage tools replaced

  // _PyCoMonitoringData
  int16_t monitoring_lines;
  int16_t monitoring_opcodes;

  // str: data of an ASCII string, and of any other compact one
  int16_t str_ascii_data;
  int16_t str_compact_data;

  // The value stack of a frame: f_valuestack points to it up to 3.10; from 3.11 on it lies in the frame, behind so many
  // locals as the code object says.
  int16_t frame_stack;
  int16_t code_locals;

  // One dict for both is that of a module; a number in it changes with every assignment, up to 3.13.
  int16_t frame_globals;
  int16_t frame_locals;
  int16_t dict_version;

  // 3.12+: whether the thread runs Python code at present.
  int16_t thread_status;

  // Whether a call of the code makes a generator or a coroutine.
  int16_t code_flags;
};

// clang-format off
inline constexpr PythonLayout kPythonLayouts[] = {
  // version thread cframe | frame: code back instr owner | code: bytes units excpt qualn lines file
  // name
  //   first execs monit | monitoring: lines ops | str: ascii compact | value stack: frame locals | frame: globals locals
  //   dict: version | thread: status | code: flags
  {0x307, 24, -1, 32, 24, 104, -1,  40,  -1, -1, 104, 112,  96, 104, 36,   -1,  -1,  -1,  -1,  48, 72,  64, -1,  48, 56, 24, -1, 32},
  {0x308, 24, -1, 32, 24, 104, -1,  48,  -1, -1, 112, 120, 104, 112, 40,   -1,  -1,  -1,  -1,  48, 72,  64, -1,  48, 56, 24, -1, 36},
  {0x309, 24, -1, 32, 24, 104, -1,  48,  -1, -1, 112, 120, 104, 112, 40,   -1,  -1,  -1,  -1,  48, 72,  64, -1,  48, 56, 24, -1, 36},
  {0x30a, 24, -1, 32, 24,  96, -1,  48,  -1, -1, 112, 120, 104, 112, 40,   -1,  -1,  -1,  -1,  48, 72,  64, -1,  48, 56, 24, -1, 36},
  {0x30b, 56,  8, 32, 48,  56, 69,  -1, 184, 40, 128, 136, 112, 120, 72,   -1,  -1,  -1,  -1,  48, 72,  72, 76,   8, 24, 24, -1, 48},
  {0x30c, 56,  0,  0,  8,  56, 70,  -1, 192, 40, 128, 136, 112, 120, 68,   -1, 168,  40,  56,  40, 56,  72, 72,  24, 40, 24, 24, 48},
  {0x30d, 72, -1,  0,  8,  56, 70,  -1, 200, 40, 128, 136, 112, 120, 68,  152, 176,  32,  48,  40, 56,  72, 72,  24, 40, 24, 32, 48},
  {0x30e, 72, -1,  0,  8,  56, 74,  -1, 208, 40, 128, 136, 112, 120, 68,  152, 176,  96, 112,  40, 56,  80, 72,  24, 40, -1, 32, 48},
  {0x30f, 72, -1,  0,  8,  56, 74,  -1, 208, 40, 128, 136, 112, 120, 68,  152, 176, 104, 120,  40, 56,  80, 72,  24, 40, -1, 32, 48},
};
// clang-format on

// The same in every version: PyObject, PyVarObject, PyASCIIObject, PyBytesObject.
constexpr int kObjectType = 8;
constexpr int kVarObjectSize = 16;
constexpr int kStrLength = 16;
constexpr int kStrState = 32;
constexpr int kBytesData = 32;

constexpr uint8_t kFirstShimOwner = 3;  // 3.12+: frames that only mark an entry from C

// Of the word at `code_flags`. A generator hands out one item after the other to a loop of its caller's; a coroutine may be
// left and gone on with as a generator is, but runs to its end inside one round of its caller's.
constexpr uint32_t kMakesGenerator = 0x20 | 0x200;
constexpr uint32_t kMakesCoroutine = 0x80;

// nullptr for a version Tenure does not know.
const PythonLayout* python_layout(int version) noexcept;

// What _PyRuntime says about itself (3.13+) against our table.
enum class LayoutCheck : uint8_t { agrees, disagrees, free_threaded, not_described };
LayoutCheck check_layout(const PythonLayout& layout, const void* py_runtime) noexcept;

// "3.11.7 (main, ...)" -> 0x30b; 0 when it is no version.
int parse_version(const char* text) noexcept;

// Raw loads: the interpreter's objects are not ours, so no type of ours is laid over them.
template <typename T>
inline T load(const void* object, int offset) noexcept {
  T value;
  std::memcpy(&value, static_cast<const char*>(object) + offset, sizeof value);
  return value;
}

inline const char* load_pointer(const void* object, int offset) noexcept {
  return load<const char*>(object, offset);
}

}  // namespace tenure::inproc
