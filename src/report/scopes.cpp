#include "report/scopes.h"

#include <fmt/format.h>

#include "report/bytes.h"
#include "report/place.h"
#include "report/sentences.h"
#include "report/text.h"

namespace tenure::report {
namespace {

std::string row_text(const std::string& kind, const std::string& count, const std::string& items,
                     const std::string& state, const std::string& where) {
  return fmt::format("  {:<10}{:>7}  {:>12}  {:<10}  {}\n", kind, count, items, state, where);
}

std::string items_text(const analyze::ScopeRow& row) {
  if (row.items == 0) return "";
  const char* what = row.bytes ? " buffers" : row.type == ScopeType::function ? " traces" : " ops";
  return human_count(row.items) + what;
}

std::string where_text(const analyze::ScopeRow& row, const std::string& directory) {
  std::string text = printable(rendered(row.name));
  if (row.created.line > 0) text += ", made at " + line_text(row.created, directory);
  if (row.ended.line > 0)
    text += ", " + rendered(row.state_text) + " at " + line_text(row.ended, directory);
  return text;
}

// A wait that is over without an element is still one that was waited for.
std::string state_text(const analyze::ScopeRow& row) {
  const bool is_unserved = row.type == ScopeType::wait && row.state != ScopeState::served;
  return is_unserved ? code(ScopeState::waiting) : rendered(row.state_text);
}

}  // namespace

std::string scopes_table(const std::vector<analyze::ScopeRow>& rows, const std::string& directory) {
  if (rows.empty()) return "  no session, graph or function was seen\n";
  std::string text = row_text("scope", "how many", "holding", "state", "which");
  for (const analyze::ScopeRow& row : rows) {
    text += row_text(code(row.type), human_count(row.count), items_text(row), state_text(row),
                     where_text(row, directory));
  }
  return text;
}

}  // namespace tenure::report
