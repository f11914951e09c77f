// analyze/holder_words.h: holders as a person would name them: "global list `losses` of train.py (214 items)".
// World: offline. Pure: a heap graph and a retention in, words out.
#pragma once
#include <string>

#include "analyze/findings.h"
#include "analyze/heap_graph.h"
#include "analyze/retention.h"

namespace tenure::analyze {

// `main_file`: what the module `__main__` is called, e.g. "train.py"; empty: unknown.
Holder say_holder(const HeapGraph& heap, const Retention& retention, const std::string& main_file);

std::string why_held(const HeapGraph& heap, const Retention& retention);

// Empty where none follows.
std::string fix_of_holder(const HeapGraph& heap, const Retention& retention);

}  // namespace tenure::analyze
