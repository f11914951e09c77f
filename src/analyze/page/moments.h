// analyze/page/moments.h: the memory of a process along the run: live bytes and what the kernel told, what happened when, and the lines
// that pile up as bands.
// World: offline. Pure.
#pragma once
#include <optional>
#include <vector>

#include "analyze/growth/judgement.h"
#include "analyze/page/page.h"
#include "analyze/run/process_run.h"

namespace tenure::analyze {

void add_moments(const ProcessRun& process, const std::optional<Unit>& unit, PageProcess& out);

// Needs the moments and the lines of `out`.
void add_bands(const std::vector<Judgement>& lines, PageProcess& out);

}  // namespace tenure::analyze
