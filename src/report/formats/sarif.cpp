#include "report/formats/sarif.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "base/version.h"
#include "report/text.h"

namespace tenure::report {
namespace {

using analyze::Place;
using Json = nlohmann::ordered_json;

constexpr char kBase[] = "PROGRAM_ROOT";  // where the program was started

bool is_plain_in_uri(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("-._~/").find(c) != std::string_view::npos;
}

std::string uri_path(const std::string& path) {
  std::string text;
  for (char c : path)
    text += is_plain_in_uri(c) ? std::string(1, c)
                               : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return text;
}

Json artifact(const std::string& file) {
  if (file.starts_with('/')) return {{"uri", "file://" + uri_path(file)}};
  return {{"uri", uri_path(file)}, {"uriBaseId", kBase}};
}

Json location(const Place& place) {
  Json physical = {{"artifactLocation", artifact(place.file)}};
  if (place.line > 0) {
    physical["region"] = {{"startLine", place.line}};
    if (!place.source.empty()) physical["region"]["snippet"] = {{"text", place.source}};
  }
  Json result = {{"physicalLocation", std::move(physical)}};
  if (!place.function.empty())
    result["logicalLocations"] = Json::array({{{"name", place.function}, {"kind", "function"}}});
  return result;
}

Json related(const std::vector<Place>& places) {
  Json list = Json::array();
  for (const Place& place : places) {
    if (place.file.empty()) continue;
    Json item = location(place);
    item["message"] = {{"text", code(place.role)}};
    list.push_back(std::move(item));
  }
  return list;
}

Json result_of(const Problem& problem) {
  const std::string words =
      problem.headline + "." + (problem.details.empty() ? "" : " " + problem.details);
  Json result = {{"ruleId", problem.rule},
                 {"level", name_of(problem.level)},
                 {"message", {{"text", valid_utf8(words)}}}};
  if (problem.place && !problem.place->file.empty())
    result["locations"] = Json::array({location(*problem.place)});
  if (Json others = related(problem.others); !others.empty())
    result["relatedLocations"] = std::move(others);
  if (!problem.fingerprint.empty())
    result["partialFingerprints"] = {{"tenureLine/v1", problem.fingerprint}};
  return result;
}

Json rules_of(const std::vector<Problem>& problems) {
  std::set<std::string> names;
  for (const Problem& problem : problems) names.insert(problem.rule);
  Json rules = Json::array();
  for (const std::string& name : names) rules.push_back({{"id", name}});
  return rules;
}

Json run_json(const SarifRun& run) {
  Json results = Json::array();
  for (const Problem& problem : run.problems) results.push_back(result_of(problem));
  Json driver = {
      {"name", "Tenure"}, {"version", version_words()}, {"rules", rules_of(run.problems)}};
  Json json = {{"tool", {{"driver", std::move(driver)}}}, {"columnKind", "unicodeCodePoints"}};
  if (run.directory.starts_with('/'))
    json["originalUriBaseIds"] = {
        {kBase,
         {{"uri", "file://" + uri_path(run.directory) + (run.directory == "/" ? "" : "/")}}}};
  json["results"] = std::move(results);
  return json;
}

}  // namespace

std::string sarif(const std::vector<SarifRun>& runs) {
  Json document = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                   {"version", "2.1.0"},
                   {"runs", Json::array()}};
  for (const SarifRun& run : runs) document["runs"].push_back(run_json(run));
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tenure::report
