// inproc/hooks/counted_heap.h: blocks that are counted one by one whatever their size: what `free` takes, made in another way.
// World: inside. Any thread.
#pragma once
#include "inproc/boot/numpy_handler.h"

namespace tenure::inproc {

CountedHeap counted_heap() noexcept;

}  // namespace tenure::inproc
