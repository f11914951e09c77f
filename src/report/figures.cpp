#include "report/figures.h"

#include <nlohmann/json.hpp>

#include "report/sentences.h"
#include "report/text.h"

namespace tenure::report {
namespace {

using Json = nlohmann::ordered_json;

Json site_json(const analyze::SiteFigures& site) {
  return {{"file", valid_utf8(site.place.file)},
          {"line", site.place.line},
          {"function", valid_utf8(site.place.function)},
          {"kind", site.kind},
          {"op", rendered(site.op)},
          {"role", site.role},
          {"live_bytes", site.live_bytes},
          {"live_count", site.live_count},
          {"total_bytes", site.total_bytes},
          {"total_count", site.total_count},
          {"at_peak_bytes", site.at_peak_bytes},
          {"at_peak_count", site.at_peak_count},
          {"most_bytes", site.most_bytes},
          {"live_error_bytes", site.live_error},
          {"total_error_bytes", site.total_error}};
}

Json unit_json(const analyze::SeenUnit& unit) {
  return {{"per", valid_utf8(rendered(unit.per))},
          {"file", valid_utf8(unit.file)},
          {"line", unit.line},
          {"steps", unit.steps},
          {"is_users", unit.is_users}};
}

Json block_json(const analyze::BlockFigures& block) {
  return {{"address", block.address},
          {"bytes", block.bytes},
          {"op", valid_utf8(block.op)},
          {"file", valid_utf8(block.place.file)},
          {"line", block.place.line}};
}

}  // namespace

std::string figures_json(const std::vector<analyze::SiteFigures>& sites,
                         const std::vector<analyze::SeenUnit>& units,
                         const std::vector<analyze::BlockFigures>& blocks) {
  Json document = {{"schema", "tenure-figures/1"}};
  document["sites"] = Json::array();
  for (const analyze::SiteFigures& site : sites) document["sites"].push_back(site_json(site));
  document["steps"] = Json::array();
  for (const analyze::SeenUnit& unit : units) document["steps"].push_back(unit_json(unit));
  document["blocks"] = Json::array();
  for (const analyze::BlockFigures& block : blocks) document["blocks"].push_back(block_json(block));
  return document.dump(1) + "\n";
}

}  // namespace tenure::report
