// inproc/snapshot/guessed_block.h: how big the block of the heap is that begins at an address, if one does.
// World: inside, one thread, in the snapshot's child. The address is a guess: whatever lies there, nothing faults.
#pragma once
#include "inproc/snapshot/readable.h"

namespace tenure::inproc {

inline constexpr uint64_t kLargestGuessedBlock = 16 << 10;

// 0: no block begins there, or a bigger one, or one of a heap that is neither libc's nor Tenure's.
uint64_t guessed_block_bytes(ReadablePages& pages, uint64_t address) noexcept;

}  // namespace tenure::inproc
