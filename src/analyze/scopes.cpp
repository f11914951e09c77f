#include "analyze/scopes.h"

#include <algorithm>

#include "analyze/describe.h"
#include "analyze/frames.h"

namespace tenure::analyze {
namespace {

Place place_in(Frames& frames, StackId stack, const std::string& role) {
  const ReadableFrame* frame = stack ? frames.user_frame(stack) : nullptr;
  return frame ? place_of(*frame, role) : Place{};
}

bool is_same(const ScopeRow& a, const ScopeRow& b) {
  return a.kind == b.kind && a.state == b.state && a.created.file == b.created.file &&
         a.created.line == b.created.line;
}

void add(ScopeRow row, std::vector<ScopeRow>& rows) {
  auto known = std::find_if(rows.begin(), rows.end(),
                            [&](const ScopeRow& other) { return is_same(row, other); });
  if (known == rows.end()) {
    rows.push_back(std::move(row));
    return;
  }
  known->count += row.count;
  known->items += row.items;
  known->bytes += row.bytes;
}

}  // namespace

std::vector<ScopeRow> scope_rows(const Record& record) {
  std::vector<ScopeRow> rows;
  auto symbols = std::make_shared<symbolize::Symbolizer>();
  for (const auto& [index, ledger] : record.ledgers) {
    Frames frames(ledger, symbols);
    for (const ledger::Scope& scope : ledger.scopes()) {
      std::string state(ledger.string(scope.state));
      add({std::string(ledger.string(scope.kind)), std::string(ledger.string(scope.name)),
           state.empty() ? "open" : state, 1, scope.items, scope.bytes,
           place_in(frames, scope.born, "created"), place_in(frames, scope.ended, "ended")},
          rows);
    }
  }
  return rows;
}

}  // namespace tenure::analyze
