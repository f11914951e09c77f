// analyze/run/scopes.h: the sessions, graphs and functions a process had, as rows: how many, in which state, how full.
// World: offline. Pure: a record in, rows out.
#pragma once
#include <string>
#include <vector>

#include "analyze/run/place.h"
#include "record/record.h"

namespace tenure::analyze {

// All scopes of one kind that were made at one line and came to the same state.
struct ScopeRow {
  ScopeType type = ScopeType::session;
  std::string name;
  ScopeState state = ScopeState::open;
  std::string state_text;  // a code, or a sentence that says more
  uint64_t count = 0;
  uint64_t items =
      0;  // ops of graphs, traces of functions, buffers of the C++ library's scopes: of all of them
  uint64_t bytes = 0;  // of those buffers
  Place created, ended;
};

std::vector<ScopeRow> scope_rows(const record::Record& record);

}  // namespace tenure::analyze
