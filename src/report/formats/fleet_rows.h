// report/formats/fleet_rows.h: one run as rows of tables that hold many runs: processes, lines, growth, holders, timeline, findings.
// World: offline. Pure function; docs/fleet.md has the columns, python/tenure/fleet/schema.py their types.
#pragma once
#include <string>
#include <vector>

#include "analyze/page/process_results.h"
#include "record/placement.h"
#include "record/run_outcome.h"

namespace tenure::report {

struct FleetTable {
  std::string name;
  std::string rows;  // a JSON object in each line
};

// Where the rows belong.
struct FleetOrigin {
  const record::RunOutcome& outcome;
  const record::Placement& placement;
  std::string run;  // what it is called among others; empty: by its job, else by program and start
};

// Tells this record from every other one, also from those of other runs on hosts of the same name.
std::string record_id(const record::RunOutcome& outcome, const record::Placement& placement);

std::vector<FleetTable> fleet_rows(const analyze::Findings& findings,
                                   const std::vector<analyze::ProcessResults>& processes,
                                   const FleetOrigin& origin);

}  // namespace tenure::report
