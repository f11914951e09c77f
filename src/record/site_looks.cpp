#include "record/site_looks.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>

#include "ledger/record_file.h"
#include "record/layout.h"

namespace tenure::record {
namespace {

using nlohmann::json;

constexpr char kSchema[] = "tenure-looks/1";

// A damaged file may claim more than anybody writes.
constexpr size_t kMostProcesses = 100'000, kMostSites = 1024, kMostLooks = 4096;

// What a site held stays the same for most of a run: the looks at which it changed, each with what it came to.
json changes_of(const SiteLook& site) {
  json changes = json::array();
  uint64_t before = 0;
  for (size_t i = 0; i < site.live.size(); ++i) {
    if (site.live[i] == before) continue;
    before = site.live[i];
    changes.push_back(i);
    changes.push_back(before);
  }
  return changes;
}

std::vector<uint64_t> live_from(const json& changes, size_t looks) {
  std::vector<uint64_t> live(looks);
  for (size_t i = 0; i + 1 < changes.size(); i += 2) {
    const auto from = std::min<uint64_t>(changes[i].get<uint64_t>(), looks);
    std::fill(live.begin() + static_cast<std::ptrdiff_t>(from), live.end(),
              changes[i + 1].get<uint64_t>());
  }
  return live;
}

ProcessLooks process_from(const json& j) {
  ProcessLooks process;
  process.position = j.at("process").get<size_t>();
  process.ticks = j.at("ticks").get<std::vector<Tick>>();
  const json& sites = j.at("sites");
  if (process.ticks.size() > kMostLooks || sites.size() > kMostSites) return {};
  for (const json& site : sites)
    process.sites.push_back(
        {{site.at("site").get<uint32_t>()}, live_from(site.at("changes"), process.ticks.size())});
  return process;
}

}  // namespace

std::string looks_json(const std::vector<ProcessLooks>& processes) {
  json all = json::array();
  for (const ProcessLooks& process : processes) {
    json sites = json::array();
    for (const SiteLook& site : process.sites)
      sites.push_back({{"site", site.site.value}, {"changes", changes_of(site)}});
    all.push_back(
        {{"process", process.position}, {"ticks", process.ticks}, {"sites", std::move(sites)}});
  }
  return json{{"schema", kSchema}, {"processes", std::move(all)}}.dump() + "\n";
}

std::vector<ProcessLooks> parse_looks(const std::string& text) {
  std::vector<ProcessLooks> processes;
  try {
    const json j = json::parse(text);
    if (j.at("schema") != kSchema || j.at("processes").size() > kMostProcesses) return {};
    for (const json& process : j.at("processes")) processes.push_back(process_from(process));
  } catch (const json::exception&) {  // another type or form than we write
    return {};
  }
  return processes;
}

Result<bool> write_looks(const std::string& directory, const std::vector<ProcessLooks>& processes) {
  const std::string text = looks_json(processes);
  const std::string_view pieces[] = {text};
  return ledger::write_record_file(directory + "/" + kLooksFile, pieces);
}

std::vector<ProcessLooks> read_looks(const std::string& directory) {
  std::ifstream file(directory + "/" + kLooksFile, std::ios::binary);
  if (!file) return {};
  return parse_looks(std::string(std::istreambuf_iterator<char>(file), {}));
}

}  // namespace tenure::record
