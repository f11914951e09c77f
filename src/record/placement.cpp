#include "record/placement.h"

#include <sys/utsname.h>

#include <cstdint>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>

#include "ledger/record_file.h"

namespace tenure::record {
namespace {

using nlohmann::json;

bool is_rank(const json& j) { return j.is_number_unsigned() && j.get<uint64_t>() <= INT32_MAX; }

std::string text_in(const json& j, const char* name) {
  const auto found = j.find(name);
  return found != j.end() && found->is_string() ? found->get<std::string>() : "";
}

}  // namespace

int Placement::rank_of(const std::string& ledger) const {
  const auto found = ranks.find(ledger);
  return found == ranks.end() ? kNoRank : found->second;
}

std::string this_host() {
  utsname names{};
  return uname(&names) == 0 ? names.nodename : "";
}

std::string placement_json(const Placement& placement) {
  const json j = {{"schema", kPlacementSchema},
                  {"host", placement.host},
                  {"job", placement.job},
                  {"ranks", placement.ranks}};
  return j.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

Placement parse_placement_json(const std::string& text) {
  const json j = json::parse(text, nullptr, false);
  if (!j.is_object() || text_in(j, "schema") != kPlacementSchema) return {};
  Placement placement{text_in(j, "host"), text_in(j, "job"), {}};
  const auto ranks = j.find("ranks");
  if (ranks == j.end() || !ranks->is_object()) return placement;
  for (const auto& [ledger, rank] : ranks->items()) {
    if (is_rank(rank)) placement.ranks[ledger] = rank.get<int>();
  }
  return placement;
}

Placement read_placement(const std::string& directory) {
  std::ifstream file(directory + "/" + kPlacementFile, std::ios::binary);
  if (!file) return {};
  return parse_placement_json({std::istreambuf_iterator<char>(file), {}});
}

Result<bool> write_placement(const std::string& directory, const Placement& placement) {
  const std::string text = placement_json(placement);
  const std::string_view pieces[] = {text};
  return ledger::write_record_file(directory + "/" + kPlacementFile, pieces);
}

}  // namespace tenure::record
