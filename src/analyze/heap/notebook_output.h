// analyze/heap/notebook_output.h: what IPython keeps of a notebook by itself: results of cells, and the last error.
// World: offline. Pure. A result has several names at once (`Out[5]`, `_5`, `_`): to people they are one holder, Out[5].
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyze/heap/heap_graph.h"
#include "analyze/heap/holder_path.h"
#include "analyze/heap/retention.h"

namespace tenure::analyze {

struct NotebookOutput {
  std::string number;    // "5"; empty: all of them, or which one is not known
  std::string own_name;  // the user's own for the same object; empty: there is none
  size_t steps = 1;      // of the way that are told by it: `Out`, or `Out` and `[5]`
};

// Whether the step `at` leads to results that are kept under names of IPython's.
std::optional<NotebookOutput> notebook_output(const HeapGraph& heap, const std::vector<Step>& steps,
                                              size_t at);

// How what hangs from it is let go of, where IPython keeps it: a sentence; empty elsewhere.
std::string advice_for_notebook(const HeapGraph& heap, const Retention& retention);

// Whether the step is the error that the interpreter remembers as the last one: sys.last_value and the like.
bool is_last_error(const Step& step);

}  // namespace tenure::analyze
