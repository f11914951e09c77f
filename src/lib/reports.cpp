// lib/reports.cpp: leak reports and budget errors in words.
#include "lib/json_text.h"
#include "lib/words.h"
#include "tenure/leak_report.h"

namespace tenure {
namespace {

std::string owner_text(const Owner& owner) {
  std::string text = "\n     " + lib::bytes_text(owner.bytes);
  if (owner.count > 1) text += " in " + std::to_string(owner.count) + " buffers";
  return text + "  `" + owner.name + "` of " + owner.scope + ", made at " + owner.born.where();
}

std::string budget_text(const OverBudget::Facts& facts) {
  std::string text = lib::bytes_text(facts.wanted_bytes) + " more would break the budget of " +
                     facts.scope + ": " + lib::bytes_text(facts.live_bytes) + " of " +
                     lib::bytes_text(facts.budget_bytes) + " are in use";
  for (const Owner& owner : facts.biggest) text += owner_text(owner);
  return text;
}

}  // namespace

OverBudget::OverBudget(Facts facts) {
  std::string text = budget_text(facts);
  said_ = std::make_shared<const Said>(Said{std::move(facts), std::move(text)});
}

std::string LeakReport::text() const {
  if (is_clean()) return scope + ": nothing was live";
  std::string text = scope + ": " + lib::bytes_text(bytes) + " were still live";
  for (const Owner& owner : survivors) text += owner_text(owner);
  return text;
}

std::string LeakReport::json() const {
  std::string out = "{\"scope\":" + lib::quoted(scope) + ",\"bytes\":" + std::to_string(bytes) +
                    ",\"survivors\":[";
  for (const Owner& owner : survivors) {
    if (&owner != &survivors.front()) out += ',';
    out += "{\"name\":" + lib::quoted(owner.name) + ",\"scope\":" + lib::quoted(owner.scope) +
           ",\"count\":" + std::to_string(owner.count) +
           ",\"bytes\":" + std::to_string(owner.bytes) + ",\"born\":" + lib::to_json(owner.born) +
           "}";
  }
  return out + "]}";
}

}  // namespace tenure
