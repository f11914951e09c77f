// inproc/accounting/op_texts.h: names of ops, read out of memory of TensorFlow whose layout is not promised.
// World: inside. Any thread. The first names are copied by the kernel, which refuses bad addresses; when all of them looked
// like names of ops, later ones are read directly. The first that does not ends it for good, and `losses` says so.
#pragma once
#include <cstdint>

namespace tenure::inproc {

// Copies the text at `text`: `length` bytes, or up to a NUL where `length` is 0. Returns its length; 0: no name.
// `out` has kLongestOpName bytes.
uint32_t copy_op_name(const char* text, uint64_t length, char* out) noexcept;

}  // namespace tenure::inproc
