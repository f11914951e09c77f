// analyze/heap/holder_text.h: what a person would call a holder, as sentences: report makes "global list `losses` of
// train.py (214 items)" of one.
// World: offline. Pure: a heap graph and a retention in, encoded sentences out.
#pragma once
#include <string>

#include "analyze/heap/heap_graph.h"
#include "analyze/heap/holder.h"
#include "analyze/heap/retention.h"

namespace tenure::analyze {

// `main_file`: what the module `__main__` is called, e.g. "train.py"; empty: unknown.
Holder say_holder(const HeapGraph& heap, const Retention& retention, const std::string& main_file);

std::string why_held(const HeapGraph& heap, const Retention& retention);

// Empty where none follows.
std::string fix_of_holder(const HeapGraph& heap, const Retention& retention);

}  // namespace tenure::analyze
