// inproc/stacks/python_layout.cpp: the tables behind python_layout.h and the cross-check with
// _Py_DebugOffsets.
#include "inproc/stacks/python_layout.h"

namespace tenure::inproc {
namespace {

// _PyRuntime of 3.13+ starts with {char cookie[8]; u64 version hex; u64 free_threaded; groups of
// u64 offsets}. The groups change with every minor, so this says at which word each field's offset
// stands. That is why it only checks our table and never replaces it.
struct DescribedAt {
  int version;
  int16_t thread_frame, frame_back, frame_code, frame_instruction, frame_owner;
  int16_t code_file, code_name, code_qualname, code_lines, code_first_line, code_units;
  int16_t bytes_size, bytes_data, str_state, str_length, str_ascii_size;
};

constexpr DescribedAt kDescriptions[] = {
    {0x30d, 23, 29, 30, 31, 33, 35, 36, 37, 38, 39, 43, 65, 66, 68, 69, 70},
    {0x30e, 26, 32, 33, 34, 36, 40, 41, 42, 43, 44, 48, 75, 76, 78, 79, 80},
    {0x30f, 26, 40, 41, 42, 44, 48, 49, 50, 51, 52, 56, 87, 88, 90, 91, 92},
};

constexpr char kCookie[] = "xdebugpy";
constexpr int kVersionWord = 1;
constexpr int kFreeThreadedWord = 2;

const DescribedAt* description(int version) noexcept {
  for (const DescribedAt& d : kDescriptions)
    if (d.version == version) return &d;
  return nullptr;
}

}  // namespace

const PythonLayout* python_layout(int version) noexcept {
  for (const PythonLayout& layout : kPythonLayouts)
    if (layout.version == version) return &layout;
  return nullptr;
}

LayoutCheck check_layout(const PythonLayout& layout, const void* py_runtime) noexcept {
  const DescribedAt* at = description(layout.version);
  if (!at || !py_runtime) return LayoutCheck::not_described;
  const auto word = [py_runtime](int index) { return load<uint64_t>(py_runtime, index * 8); };
  if (std::memcmp(py_runtime, kCookie, 8) != 0) return LayoutCheck::disagrees;
  if (word(kVersionWord) >> 16 != uint64_t(layout.version)) return LayoutCheck::disagrees;
  if (word(kFreeThreadedWord) != 0) return LayoutCheck::free_threaded;
  const struct {
    int word, expected;
  } fields[] = {
      {at->thread_frame, layout.thread_frame},
      {at->frame_back, layout.frame_back},
      {at->frame_code, layout.frame_code},
      {at->frame_instruction, layout.frame_instruction},
      {at->frame_owner, layout.frame_owner},
      {at->code_file, layout.code_file},
      {at->code_name, layout.code_name},
      {at->code_qualname, layout.code_qualname},
      {at->code_lines, layout.code_lines},
      {at->code_first_line, layout.code_first_line},
      {at->code_units, layout.code_units},
      {at->bytes_size, kVarObjectSize},
      {at->bytes_data, kBytesData},
      {at->str_state, kStrState},
      {at->str_length, kStrLength},
      {at->str_ascii_size, layout.str_ascii_data},
  };
  for (const auto& field : fields)
    if (word(field.word) != uint64_t(field.expected)) return LayoutCheck::disagrees;
  return LayoutCheck::agrees;
}

int parse_version(const char* text) noexcept {
  int numbers[2] = {0, 0};
  for (int i = 0; i < 2; i++) {
    if (*text < '0' || *text > '9') return 0;
    while (*text >= '0' && *text <= '9' && numbers[i] < 100)
      numbers[i] = numbers[i] * 10 + (*text++ - '0');
    if (i == 0 && *text++ != '.') return 0;
  }
  return numbers[0] << 8 | numbers[1];
}

}  // namespace tenure::inproc
