#include "inproc/stacks/python_iterators.h"

#include "base/hash.h"

namespace tenure::inproc {
namespace {

// 3.14+: the low bits of a value on the stack are tags; both set: it is a number. In 3.15 a `for` over a list or a tuple
// keeps the sequence itself and, above it, the number of items so far.
constexpr uintptr_t kPointerTags = 3;
constexpr int kNumberShift = 2;
constexpr int kSlot = sizeof(void*);
constexpr int kMostSlots = 24;
constexpr int kMostVariables =
    32;  // the last ones: what a loop assigns to comes behind the arguments
constexpr int kOldVariables =
    16;  // up to 3.10; where there are fewer, older fields of the frame are read with them

}  // namespace

void IteratorTypes::start(SymbolLookup lookup, int version) noexcept {
  const bool has_range_index = version < 0x30c;  // then {next, step, what is left}
  const struct {
    const char* type;
    int16_t offset;
    Role role;
    bool counts_from_zero;
  } types[kTypes] = {
      {"PyRangeIter_Type", int16_t(has_range_index ? 16 : 32),
       has_range_index ? Role::counts_up : Role::counts_down, has_range_index},
      {"PyListIter_Type", 16, Role::counts_up, true},
      {"PyTupleIter_Type", 16, Role::counts_up, true},
      {"PySeqIter_Type", 16, Role::counts_up, true},
      {"PyEnum_Type", 16, Role::counts_up, false},
      {"PyDictIterKey_Type", 48, Role::counts_down, false},
      {"PyDictIterItem_Type", 48, Role::counts_down, false},
      {"PyDictIterValue_Type", 48, Role::counts_down, false},
      {"PyGen_Type", 0, Role::silent, false},
      {"PyZip_Type", 0, Role::silent, false},
      {"PyMap_Type", 0, Role::silent, false},
      {"PyFilter_Type", 0, Role::silent, false},
      // What `with` and comprehensions put below the iterators.
      {"PyMethod_Type", 0, Role::no_iterator, false},
      {"PyCFunction_Type", 0, Role::no_iterator, false},
      {"PyList_Type", 0, Role::no_iterator, false},
      {"PyDict_Type", 0, Role::no_iterator, false},
      {"PySet_Type", 0, Role::no_iterator, false},
  };
  for (int i = 0; i < kTypes; i++)
    known_[i] = {lookup(types[i].type), types[i].offset, types[i].role, types[i].counts_from_zero};
}

IteratorPosition IteratorTypes::Known::told_by(const char* iterator) const noexcept {
  const auto count = load<int64_t>(iterator, offset);
  return {iterator, role == Role::counts_down ? -count : count, counts_from_zero, true};
}

const IteratorTypes::Known* IteratorTypes::known(const void* type) const noexcept {
  for (const Known& known : known_)
    if (known.type == type && type) return &known;
  return nullptr;
}

bool IteratorTypes::find(const void* stack, int outer, IteratorPosition* out) const noexcept {
  int below = 0;
  for (int slot = 0; slot < kMostSlots; slot++) {
    const auto bits = load<uintptr_t>(stack, slot * kSlot);
    const char* value = reinterpret_cast<const char*>(bits & ~kPointerTags);
    if (!value || (bits & kPointerTags) == kPointerTags) continue;
    const auto above = load<uintptr_t>(stack, (slot + 1) * kSlot);
    const bool is_pair = (above & kPointerTags) == kPointerTags;
    const Known* found = is_pair ? nullptr : known(load_pointer(value, kObjectType));
    if (!found && !is_pair && below < outer) return false;
    if ((found && found->role == Role::no_iterator) || below++ < outer) continue;
    if (is_pair)
      *out = {value, static_cast<int64_t>(above >> kNumberShift), true, true};
    else if (!found || found->role == Role::silent)
      *out = {value, 0, false, false};
    else
      *out = found->told_by(value);
    return true;
  }
  return false;
}

const void* value_stack(const PythonLayout& layout, const void* frame, const void* code) noexcept {
  if (layout.code_locals == kNoField) return load_pointer(frame, layout.frame_stack);
  const auto locals = load<int32_t>(code, layout.code_locals);
  return static_cast<const char*>(frame) + layout.frame_stack + locals * kSlot;
}

uint64_t function_mark(const PythonLayout& layout, const void* frame, const void* code) noexcept {
  const char* globals = load_pointer(frame, layout.frame_globals);
  if (globals && globals == load_pointer(frame, layout.frame_locals)) return 0;
  const auto* end = static_cast<const char*>(value_stack(layout, frame, code));
  int count = kOldVariables;
  if (layout.code_locals != kNoField) count = load<int32_t>(code, layout.code_locals);
  if (count > kMostVariables) count = kMostVariables;
  if (!end || count <= 0) return 0;
  uint64_t mark = 1;
  for (int i = 1; i <= count; ++i) mark = mix(mark, load<uintptr_t>(end, -i * kSlot));
  return mark;
}

uint64_t variables_mark(const PythonLayout& layout, const void* frame, const void* code) noexcept {
  const char* globals = load_pointer(frame, layout.frame_globals);
  if (!globals || globals != load_pointer(frame, layout.frame_locals))
    return function_mark(layout, frame, code);
  return layout.dict_version == kNoField ? 0 : mix(load<uint64_t>(globals, layout.dict_version));
}

}  // namespace tenure::inproc
