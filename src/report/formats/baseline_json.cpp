#include "report/formats/baseline_json.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "report/place.h"
#include "report/sentences.h"
#include "report/text.h"

namespace tenure::report {
namespace {

using analyze::Baseline;
using analyze::BaselineEntry;
using Json = nlohmann::ordered_json;

constexpr char kSchema[] = "tenure-baseline/1";

Json entry_json(const BaselineEntry& entry, const std::string& directory) {
  return {{"kind", entry.line.kind},
          {"file", shown_path(entry.line.file, directory)},
          {"line", entry.line.line},
          {"function", valid_utf8(entry.line.function)},
          {"statement", valid_utf8(entry.line.statement)},
          {"holder", valid_utf8(rendered(entry.line.holder))},
          {"bytes_per_step", std::round(entry.bytes_per_step)},
          {"bytes", entry.bytes}};
}

BaselineEntry entry_of(const Json& json) {
  BaselineEntry entry;
  entry.line.kind = json.at("kind").get<std::string>();
  entry.line.file = json.at("file").get<std::string>();
  entry.line.line = json.at("line").get<int>();
  entry.line.function = json.at("function").get<std::string>();
  entry.line.statement = json.at("statement").get<std::string>();
  entry.line.holder = json.at("holder").get<std::string>();
  entry.bytes_per_step = json.at("bytes_per_step").get<double>();
  entry.bytes = json.at("bytes").get<uint64_t>();
  return entry;
}

Baseline baseline_of(const Json& json) {
  Baseline baseline;
  baseline.tolerance = json.at("tolerance").get<double>();
  for (const Json& entry : json.at("accepted")) baseline.entries.push_back(entry_of(entry));
  return baseline;
}

Error unusable(const std::string& file, const std::string& why) {
  return {fmt::format("{} is no baseline that can be read ({}); make it anew with "
                      "--update-baseline",
                      file, why),
          2};
}

}  // namespace

std::string baseline_json(const Baseline& baseline, const std::string& directory) {
  Json json = {{"schema", kSchema}, {"tolerance", baseline.tolerance}, {"accepted", Json::array()}};
  for (const BaselineEntry& entry : baseline.entries)
    json["accepted"].push_back(entry_json(entry, directory));
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<Baseline> read_baseline(const std::string& text, const std::string& file) {
  try {
    const Json json = Json::parse(text);
    if (json.at("schema").get<std::string>() != kSchema)
      return unusable(file, "its schema is not " + std::string(kSchema));
    Baseline baseline = baseline_of(json);
    if (!(baseline.tolerance >= 0)) return unusable(file, "its tolerance is below 0");
    return baseline;
  } catch (const Json::exception& error) {
    return unusable(file, error.what());
  }
}

}  // namespace tenure::report
