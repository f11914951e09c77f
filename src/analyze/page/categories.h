// analyze/page/categories.h: what live memory was to the program along the run: parameters, gradients, activations and so on.
// World: offline. Pure. Reads no symbols of libraries.
#pragma once
#include "analyze/page/page.h"
#include "analyze/run/process_run.h"

namespace tenure::analyze {

// Of what is not in a band. Needs the moments and the bands of `out`.
void add_categories(Frames& frames, const record::ProcessLooks& looks, PageProcess& out);

}  // namespace tenure::analyze
