#include "inproc/snapshot/python_object.h"

namespace tenure::inproc {
namespace {

constexpr int kMostBases = 64;
constexpr uint64_t kMostItems = 1ull << 40;  // more is a misread
constexpr uint64_t kMostArrayItems = 1ull << 32;

// PyDictKeysObject of 3.11+: 32 bytes, the index table, then the entries.
constexpr int kKeysLog2IndexBytes = 9, kKeysEntries = 24, kKeysHead = 32;
// Before the object (3.11+): its dict; in 3.11 the values stand before that.
constexpr int kDictBefore = -24, kValuesBefore = -32;

uint32_t as_length(int64_t n) noexcept {
  return n < 0 ? 0 : n > 0xffffffff ? 0xffffffffu : static_cast<uint32_t>(n);
}

}  // namespace

bool read_int(Object o, int version, int64_t* value) noexcept {
  int64_t digits, sign = 1;
  if (version >= 0x30c) {  // low bits: 0 positive, 1 zero, 2 negative; the digits' count above them
    auto tag = load<uint64_t>(o, 16);
    digits = static_cast<int64_t>(tag >> 3);
    if ((tag & 3) == 2) sign = -1;
    if ((tag & 3) == 1) digits = 0;
  } else {
    digits = load<int64_t>(o, kVarObjectSize);
    if (digits < 0) sign = -1, digits = -digits;
  }
  if (digits > 2) return false;
  int64_t number = 0;
  for (int64_t i = digits; i-- > 0;)
    number = number << 30 | load<uint32_t>(o, 24 + static_cast<int>(i) * 4);
  *value = sign * number;
  return true;
}

uint64_t size_of(Object o, Object type) noexcept {
  uint64_t bytes = load<uint64_t>(type, kTypeBasicSize);
  auto item = load<uint64_t>(type, kTypeItemSize);
  uint64_t flags = type_flags(type);
  if (flags & kIsLong) return 32;
  if (flags & kIsStr) {
    auto state = load<uint32_t>(o, kStrState);
    uint64_t width = state >> 2 & 7;
    return bytes + load<uint64_t>(o, kStrLength) * (state >> 5 & 1 ? width : 0);
  }
  if (item == 0 || flags & kIsType) return bytes;
  auto count = load<uint64_t>(o, kVarObjectSize);
  return count < kMostItems ? bytes + item * count : bytes;
}

uint64_t object_items(Object array) noexcept {
  Object description = load_pointer(array, kArrayDescription);
  if (!description || load<char>(description, kDescriptionKind) != 'O') return 0;
  bool owns = load<int>(array, kArrayFlags) & kArrayOwnsData;
  if (!owns || !load_pointer(array, kArrayData)) return 0;
  uint64_t count = 1;
  Object dimensions = load_pointer(array, kArrayDimensions);
  for (int i = 0, n = load<int>(array, kArrayDimensionCount); i < n; ++i)
    count *= load<uint64_t>(dimensions, i * 8);
  return count <= kMostArrayItems ? count : 0;
}

uint32_t length_of(Object o, uint64_t flags) noexcept {
  if (flags & (kIsList | kIsTuple)) return as_length(load<int64_t>(o, kVarObjectSize));
  if (flags & kIsDict) return as_length(load<int64_t>(o, kDictUsed));
  Object type = type_of(o);
  if (derives_from(type, "set") || derives_from(type, "frozenset"))
    return as_length(load<int64_t>(o, kSetUsed));
  if (derives_from(type, "collections.deque")) return as_length(load<int64_t>(o, kVarObjectSize));
  bool is_array = derives_from(type, "numpy.ndarray") &&
                  load<uint64_t>(type, kTypeBasicSize) >= static_cast<uint64_t>(kArrayBytes);
  if (is_array) return as_length(static_cast<int64_t>(object_items(o)));
  if (is_named(o, "functools._lru_cache_wrapper")) {
    Object cache = load_pointer(o, kLruCacheDict);
    return cache ? as_length(load<int64_t>(cache, kDictUsed)) : 0;
  }
  return 0;
}

uint32_t bound_of(Object o) noexcept {
  if (derives_from(type_of(o), "collections.deque"))
    return as_length(load<int64_t>(o, kDequeBound));
  if (is_named(o, "functools._lru_cache_wrapper"))
    return as_length(load<int64_t>(o, kLruCacheBound));
  return 0;
}

Object instance_dict(Object o, int version) noexcept {
  Object type = type_of(o);
  if (version >= 0x30b && type_flags(type) & kManagedDict) {
    auto word = load<uint64_t>(o, kDictBefore);
    return version == 0x30c && word & 1 ? nullptr : reinterpret_cast<Object>(word);
  }
  auto offset = load<int64_t>(type, kTypeDictOffset);
  if (offset <= 0 || offset > 4096) return nullptr;
  return load_pointer(o, static_cast<int>(offset));
}

bool inline_values(Object o, const ObjectLayout& layout, InlineValues* out) noexcept {
  Object type = type_of(o);
  uint64_t flags = type_flags(type);
  if (layout.version < 0x30b || !(flags & kManagedDict) || !(flags & kHeapType)) return false;
  Object keys = load_pointer(type, layout.type_cached_keys);
  uint64_t values = 0;
  if (layout.version == 0x30b) {
    values = load<uint64_t>(o, kValuesBefore);
  } else if (layout.version == 0x30c) {
    auto word = load<uint64_t>(o, kDictBefore);
    values = word & 1 ? word + 1 : 0;
  } else if (flags & kInlineValues) {
    Object head = o + load<int64_t>(type, kTypeBasicSize);  // capacity, size, embedded, valid
    values = load<uint8_t>(head, 3) ? reinterpret_cast<uint64_t>(head) + 8 : 0;
  }
  if (!keys || !values) return false;
  out->names = keys + kKeysHead + (int64_t{1} << load<uint8_t>(keys, kKeysLog2IndexBytes));
  out->values = reinterpret_cast<Object const*>(values);
  out->count = load<int64_t>(keys, kKeysEntries);
  return out->count >= 0 && out->count <= 64;
}

bool has_base(Object type, Object base) noexcept {
  Object mro = load_pointer(type, kTypeMro);
  if (reinterpret_cast<uintptr_t>(mro) <= 4096) return type == base;
  for (int64_t i = 0, n = load<int64_t>(mro, kVarObjectSize); i < n; ++i) {
    if (tuple_item(mro, i) == base) return true;
  }
  return false;
}

bool derives_from(Object type, const char* name) noexcept {
  for (int i = 0; type && i < kMostBases; ++i, type = load_pointer(type, kTypeBase)) {
    if (strcmp(type_name(type), name) == 0) return true;
  }
  return false;
}

}  // namespace tenure::inproc
