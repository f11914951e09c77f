// report/live_table.h: the table of lines in the live view, and all that is known of the selected one.
// World: offline. Pure functions.
#pragma once
#include <string>
#include <vector>

#include "report/live_state.h"
#include "report/paint.h"

namespace tenure::report {

struct TableStyle {
  Paint paint{false};
  int width = 80;
  bool has_selection = true;
};

inline constexpr size_t kMostDetails = 4;  // rows below the table

// At most `room` rows: a head, then the lines around the selected one. No line: a sentence.
std::vector<std::string> table_rows(const LiveState& state, const LiveView& view, int room,
                                    const TableStyle& style);

// The selected line in full; empty where there is none.
std::vector<std::string> detail_rows(const LiveState& state, const LiveView& view, int width);

// A horizontal rule.
std::string rule_row(int width);

}  // namespace tenure::report
