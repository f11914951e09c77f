// analyze/page/line_table.h: what each line of the program made and held.
// World: offline. Pure.
#pragma once
#include <optional>
#include <vector>

#include "analyze/growth/judgement.h"
#include "analyze/page/page.h"
#include "analyze/run/process_run.h"

namespace tenure::analyze {

// The largest `most` of them; the others as one.
void add_lines(const ProcessRun& process, const std::vector<Judgement>& judged, size_t most,
               PageProcess& out);

// Where the line is in the table; nothing if it is not.
std::optional<size_t> line_of(const Line& line, const PageProcess& process);

}  // namespace tenure::analyze
