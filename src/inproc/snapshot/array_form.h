// inproc/snapshot/array_form.h: what an array of NumPy or a tensor of torch is of: "float32 [64, 512]".
// World: inside, one thread, in the snapshot's child. Raw loads; what does not look as expected has no form.
#pragma once
#include "inproc/snapshot/heap_graph.h"
#include "inproc/snapshot/readable.h"
#include "inproc/snapshot/text_table.h"

namespace tenure::inproc {

class ArrayForms {
 public:
  ArrayForms(const HeapGraph& heap, const TorchLayout& torch) noexcept
      : heap_(heap), torch_(torch) {}

  // Empty for what is neither.
  ShortText form_of(const HeapNode& node) noexcept;

 private:
  ShortText form_of_array(Object array) noexcept;
  ShortText form_of_tensor(uint64_t impl) noexcept;

  const HeapGraph& heap_;
  const TorchLayout& torch_;
  ReadablePages pages_;
};

}  // namespace tenure::inproc
