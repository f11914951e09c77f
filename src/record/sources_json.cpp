#include "record/sources_json.h"

#include <nlohmann/json.hpp>

namespace tenure::record {
namespace {

using nlohmann::json;

constexpr char kSchema[] = "tenure-sources/1";

const char* word(SourceState state) {
  switch (state) {
    case SourceState::read:
      return "read";
    case SourceState::changed:
      return "changed";
    case SourceState::missing:
      break;
  }
  return "missing";
}

SourceState state_from(const std::string& word_of_state) {
  for (SourceState state : {SourceState::read, SourceState::changed}) {
    if (word_of_state == word(state)) return state;
  }
  return SourceState::missing;
}

SourceAnswers answers_from(const json& j) {
  SourceAnswers answers;
  answers.has_text = j.at("text").get<bool>();
  for (const json& f : j.at("files")) {
    const std::string name = f.at("file");
    answers.files[name] = {state_from(f.at("state")), f.at("digest"),
                           f.at("bytes").get<uint64_t>()};
    for (const json& line : f.at("lines"))
      answers.lines[{name, line.at(0).get<int>()}] = line.at(1).get<std::string>();
  }
  return answers;
}

}  // namespace

std::string sources_json(const SourceAnswers& answers) {
  std::map<std::string, json> files;
  for (const auto& [name, file] : answers.files) {
    files[name] = {{"file", name},
                   {"state", word(file.state)},
                   {"digest", file.digest},
                   {"bytes", file.bytes},
                   {"lines", json::array()}};
  }
  for (const auto& [place, text] : answers.lines) {
    auto file = files.find(place.first);
    if (file != files.end() && !text.empty()) file->second["lines"].push_back({place.second, text});
  }
  json list = json::array();
  for (auto& [name, file] : files) list.push_back(std::move(file));
  const json document = {{"schema", kSchema}, {"text", answers.has_text}, {"files", list}};
  return document.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

std::optional<SourceAnswers> parse_sources_json(const std::string& text) {
  const json j = json::parse(text, nullptr, false);
  if (!j.is_object() || j.value("schema", json()) != kSchema) return std::nullopt;
  try {
    return answers_from(j);
  } catch (const json::exception&) {  // a value of another type than we write, or one too few
    return std::nullopt;
  }
}

}  // namespace tenure::record
