#include "analyze/run/scopes.h"

#include <algorithm>

#include "analyze/run/frames.h"
#include "base/sentence_reader.h"

namespace tenure::analyze {
namespace {

Place place_in(Frames& frames, StackId stack, PlaceRole role) {
  const ReadableFrame* frame = stack ? frames.user_frame(stack) : nullptr;
  return frame ? place_of(*frame, role) : Place{};
}

bool is_same(const ScopeRow& a, const ScopeRow& b) {
  return a.type == b.type && a.state_text == b.state_text && a.created.file == b.created.file &&
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

ScopeRow row_of(Frames& frames, const ledger::Scope& scope, ScopeType type) {
  const ledger::Reader& ledger = frames.ledger();
  ScopeRow row;
  row.type = type;
  row.name = ledger.string(scope.name);
  row.state_text = scope.state ? ledger.string(scope.state) : code(ScopeState::open);
  row.state = scope_state_from(code_in(row.state_text)).value_or(ScopeState::open);
  row.count = 1;
  row.items = scope.items;
  row.bytes = scope.bytes;
  row.created = place_in(frames, scope.born, PlaceRole::created);
  row.ended = place_in(frames, scope.ended, PlaceRole::ended);
  return row;
}

}  // namespace

std::vector<ScopeRow> scope_rows(const record::Record& record) {
  std::vector<ScopeRow> rows;
  for (const auto& [index, ledger] : record.ledgers) {
    Frames frames(ledger, *record.symbols);
    for (const ledger::Scope& scope : ledger.scopes()) {
      std::optional<ScopeType> type = scope_type_from(ledger.string(scope.kind));
      if (type) add(row_of(frames, scope, *type), rows);
    }
  }
  return rows;
}

}  // namespace tenure::analyze
