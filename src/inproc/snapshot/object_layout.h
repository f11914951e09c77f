// inproc/snapshot/object_layout.h: where CPython keeps the fields of objects that lead from one object to the next and
// that carry names. Beside stacks/python_layout.h, which has what the frame reader needs.
// World: inside. Immutable tables and pure functions. Byte offsets, LP64 GIL builds, printed by
// tools/gen_object_layout.py from each version's headers.
#pragma once
#include <cstdint>

#include "inproc/stacks/python_layout.h"

namespace tenure::inproc {

struct ObjectLayout {
  int version;  // 0x30b for 3.11

  // PyThreadState
  int16_t thread_ident;

  // PyFrameObject -> _PyInterpreterFrame: from 3.11 on
  int16_t frame_inner;

  // PyFrameObject up to 3.10, _PyInterpreterFrame from 3.11 on
  int16_t frame_locals_plus;
  int16_t
      frame_stack_top;  // an int that counts from locals_plus; -1 while the frame is in C code: 3.11 to 3.13
  int16_t frame_function;
  int16_t frame_locals;
  int16_t frame_globals;

  // PyCodeObject
  int16_t code_locals_plus_count;  // from 3.11 on
  int16_t code_stack_size;
  int16_t code_locals_plus_names;
  int16_t code_local_names;  // up to 3.10: three tuples of names, in the order of the slots
  int16_t code_cell_names;
  int16_t code_free_names;
  int16_t code_variable_kinds;  // bytes, one per name of code_locals_plus_names: from 3.11 on
  int16_t code_constants;
  int16_t code_names;
  int16_t code_flags;
  int16_t code_arguments;
  int16_t code_keyword_only;

  int16_t generator_frame;  // _PyInterpreterFrame inside a generator: from 3.11 on

  // PyFunctionObject
  int16_t function_qualname;
  int16_t function_code;
  int16_t function_defaults;
  int16_t function_keyword_defaults;
  int16_t function_closure;

  // PyBaseExceptionObject
  int16_t error_traceback;
  int16_t error_context;
  int16_t error_cause;

  int16_t type_cached_keys;  // PyHeapTypeObject: names of the values inside instances, from 3.11 on
  int16_t gc_head;           // bytes of PyGC_Head before the object
};

// clang-format off
inline constexpr ObjectLayout kObjectLayouts[] = {
  // version ident | frame: inner plus top func locals globals | code: count stack names local cell free kinds consts names flags args kwonly | gen |
  //   function: qualname code defaults kwdefaults closure | error: traceback context cause | type keys | gc head
  {0x307, 176,  -1, 360,  -1,  -1,  56,  48,  -1,  -1,  -1,  64,  80,  72,  -1,  48,  56,  32,  16,  20,  -1, 104,  16,  32,  40,  48,  32,  40,  48, 856,  32},
  {0x308, 176,  -1, 360,  -1,  -1,  56,  48,  -1,  -1,  -1,  72,  88,  80,  -1,  56,  64,  36,  16,  24,  -1, 104,  16,  32,  40,  48,  32,  40,  48, 872,  16},
  {0x309, 176,  -1, 360,  -1,  -1,  56,  48,  -1,  -1,  -1,  72,  88,  80,  -1,  56,  64,  36,  16,  24,  -1, 104,  16,  32,  40,  48,  32,  40,  48, 864,  16},
  {0x30a, 176,  -1, 352,  -1,  -1,  56,  48,  -1,  -1,  -1,  72,  88,  80,  -1,  56,  64,  36,  16,  24,  -1,  40,  48,  56,  64,  72,  32,  40,  48, 872,  16},
  {0x30b, 152,  24,  72,  64,   0,  24,   8,  76,  68,  96,  -1,  -1,  -1, 104,  24,  32,  48,  56,  64,  80,  40,  48,  56,  64,  72,  40,  48,  56, 872,  16},
  {0x30c, 136,  24,  72,  64,  16,  40,  24,  72,  64,  96,  -1,  -1,  -1, 104,  24,  32,  48,  52,  60,  72,  40,  48,  56,  64,  72,  40,  48,  56, 880,  16},
  {0x30d, 152,  24,  72,  64,  16,  40,  24,  72,  64,  96,  -1,  -1,  -1, 104,  24,  32,  48,  52,  60,  72,  40,  48,  56,  64,  72,  40,  48,  56, 880,  16},
  {0x30e, 152,  24,  80,  -1,  16,  40,  24,  72,  64,  96,  -1,  -1,  -1, 104,  24,  32,  48,  52,  60,  72,  40,  48,  56,  64,  72,  40,  48,  56, 880,  16},
  {0x30f, 176,  24,  80,  -1,  16,  40,  24,  72,  64,  96,  -1,  -1,  -1, 104,  24,  32,  48,  52,  60,  72,  40,  48,  56,  64,  72,  40,  48,  56, 888,  16},
};
// clang-format on

// nullptr for a version Tenure cannot walk.
constexpr const ObjectLayout* object_layout(int version) noexcept {
  for (const ObjectLayout& layout : kObjectLayouts) {
    if (layout.version == version) return &layout;
  }
  return nullptr;
}

// The same in every version.
constexpr int kTypeName = 24, kTypeBasicSize = 32, kTypeItemSize = 40, kTypeFlags = 168,
              kTypeTraverse = 184, kTypeMembers = 240, kTypeBase = 256, kTypeDict = 264,
              kTypeDictOffset = 288, kTypeIsGc = 328, kTypeMro = 344;
constexpr int kListItems = 24, kDictUsed = 16, kSetUsed = 24, kCellContents = 16;
constexpr int kTracebackNext = 16, kTracebackFrame = 24;
constexpr int kDequeBound = 64, kLruCacheDict = 72, kLruCacheBound = 96;
constexpr int kArrayData = 16, kArrayDimensionCount = 24, kArrayDimensions = 32, kArrayStrides = 40,
              kArrayBase = 48, kArrayDescription = 56, kArrayFlags = 64, kArrayBytes = 80,
              kDescriptionKind = 24;
constexpr int kArrayOwnsData = 4;

// Bits of tp_flags
constexpr uint64_t kInlineValues = 1u << 2 /*3.13+*/, kManagedDict = 1u << 4 /*3.11+*/,
                   kHeapType = 1u << 9, kHaveGc = 1u << 14, kIsLong = 1u << 24, kIsList = 1u << 25,
                   kIsTuple = 1u << 26, kIsBytes = 1u << 27, kIsStr = 1u << 28, kIsDict = 1u << 29,
                   kIsError = 1u << 30, kIsType = 1u << 31;

constexpr uint32_t kImmortal = 0x3fffffff;  // from here on a reference count says nothing (3.12+)

}  // namespace tenure::inproc
