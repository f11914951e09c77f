#include "inproc/snapshot/array_form.h"

#include "inproc/snapshot/python_object.h"

namespace tenure::inproc {
namespace {

constexpr int kMostDimensions = 8;  // a reader does not count further
constexpr int kNumberOfType = 28;   // in the description of an array: the same in NumPy 1 and 2
constexpr uint64_t kInlineDimensions = 5;  // of a tensor; it keeps more of them elsewhere
// Before the count of a tensor's items: where it begins in its storage, five strides, five sizes, and how many they are.
constexpr uint64_t kSizesBefore = 88, kDimensionsBefore = 96;

// By NumPy's and torch's own numbers.
constexpr const char* kArrayTypes[] = {
    "bool",    "int8",       "uint8",     "int16",      "uint16",      "int32",
    "uint32",  "int64",      "uint64",    "longlong",   "ulonglong",   "float32",
    "float64", "longdouble", "complex64", "complex128", "clongdouble", "object",
    "bytes",   "str",        "void",      "datetime64", "timedelta64", "float16"};
constexpr const char* kTensorTypes[] = {
    "uint8",     "int8",      "int16",      "int32", "int64", "float16", "float32", "float64",
    "complex32", "complex64", "complex128", "bool",  "qint8", "quint8",  "qint32",  "bfloat16"};
constexpr uint32_t kArrayTypeCount = sizeof kArrayTypes / sizeof *kArrayTypes;
constexpr uint32_t kTensorTypeCount = sizeof kTensorTypes / sizeof *kTensorTypes;

uint64_t word_at(uint64_t address) noexcept {
  return load<uint64_t>(reinterpret_cast<const void*>(address), 0);
}

ShortText& add_sizes(ShortText& text, const uint64_t* sizes, uint64_t count) noexcept {
  text.add(" [");
  for (uint64_t i = 0; i < count; ++i) {
    if (i > 0) text.add(", ");
    text.add_number(static_cast<int64_t>(sizes[i]));
  }
  return text.add("]");
}

}  // namespace

ShortText ArrayForms::form_of(const HeapNode& node) noexcept {
  if (node.native_type) {
    bool is_tensor = heap_.native_types[node.native_type - 1].part == TorchPart::tensor;
    return is_tensor ? form_of_tensor(node.key) : ShortText();
  }
  return node.type && heap_.types[node.type].is_array
             ? form_of_array(reinterpret_cast<Object>(node.key))
             : ShortText();
}

ShortText ArrayForms::form_of_array(Object array) noexcept {
  ShortText text;
  Object description = load_pointer(array, kArrayDescription);
  int count = load<int>(array, kArrayDimensionCount);
  auto sizes = reinterpret_cast<uint64_t>(load_pointer(array, kArrayDimensions));
  if (!pages_.can_read(reinterpret_cast<uint64_t>(description), 32)) return text;
  auto number = load<uint32_t>(description, kNumberOfType);
  bool is_known = number < kArrayTypeCount && count >= 0 && count <= kMostDimensions;
  if (!is_known || (count > 0 && !pages_.can_read(sizes, 8 * static_cast<uint64_t>(count))))
    return text;
  text.add(kArrayTypes[number]);
  return add_sizes(text, reinterpret_cast<const uint64_t*>(sizes), static_cast<uint64_t>(count));
}

// The sizes are believed if they multiply to the number of items.
ShortText ArrayForms::form_of_tensor(uint64_t impl) noexcept {
  ShortText text;
  if (!torch_.is_known || torch_.impl_items == TorchLayout::kUnknown) return text;
  uint64_t items_at = impl + static_cast<uint64_t>(torch_.impl_items);
  if (!pages_.can_read(items_at - kDimensionsBefore, kDimensionsBefore + 16)) return text;
  uint64_t count = word_at(items_at - kDimensionsBefore), items = 1;
  uint64_t number = word_at(items_at + 8) & 0xffff;
  if (count > kInlineDimensions || number >= kTensorTypeCount) return text;
  uint64_t sizes[kInlineDimensions];
  for (uint64_t i = 0; i < count; ++i) {
    sizes[i] = word_at(items_at - kSizesBefore + 8 * i);
    if (__builtin_mul_overflow(items, sizes[i], &items)) return text;
  }
  if (items != word_at(items_at)) return text;
  text.add(kTensorTypes[number]);
  return add_sizes(text, sizes, count);
}

}  // namespace tenure::inproc
