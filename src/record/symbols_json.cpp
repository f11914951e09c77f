#include "record/symbols_json.h"

#include <nlohmann/json.hpp>
#include <unordered_map>

namespace tenure::record {
namespace {

using nlohmann::json;
using Module = std::pair<std::string, std::string>;  // path and build id

constexpr char kSchema[] = "tenure-symbols/1";

// Names come up again and again: each is written once, and known by its position from then on.
class Strings {
 public:
  size_t id_of(const std::string& text) {
    auto [entry, is_new] = ids_.try_emplace(text, list_.size());
    if (is_new) list_.push_back(text);
    return entry->second;
  }
  const json& list() const { return list_; }

 private:
  std::unordered_map<std::string, size_t> ids_;
  json list_ = json::array();
};

json to_json(const std::vector<SourceFrame>& frames, Strings& strings) {
  json list = json::array();
  for (const SourceFrame& frame : frames)
    list.push_back({strings.id_of(frame.function), strings.id_of(frame.file), frame.line,
                    frame.inlined ? 1 : 0});
  return list;
}

json to_json(const std::vector<NativeLoop>& loops, Strings& strings) {
  json list = json::array();
  for (const NativeLoop& loop : loops) {
    json code = json::array();
    for (const symbolize::AddressRange& range : loop.code)
      code.push_back({range.start, range.end - range.start});
    list.push_back({loop.start, loop.end, loop.depth, strings.id_of(loop.function),
                    strings.id_of(loop.file), loop.line, std::move(code)});
  }
  return list;
}

template <class Answers>
void add(const Answers& answers, const char* name, Strings& strings,
         std::map<Module, json>& modules) {
  for (const auto& [key, answer] : answers) {
    const auto& [path, build_id, offset] = key;
    modules[{path, build_id}][name].push_back({offset, to_json(answer, strings)});
  }
}

std::vector<SourceFrame> frames_from(const json& list, const json& strings) {
  std::vector<SourceFrame> frames;
  for (const json& f : list)
    frames.push_back({strings.at(f.at(0).get<size_t>()), strings.at(f.at(1).get<size_t>()),
                      f.at(2).get<int>(), f.at(3).get<int>() != 0});
  return frames;
}

std::vector<NativeLoop> loops_from(const json& list, const json& strings) {
  std::vector<NativeLoop> loops;
  for (const json& l : list) {
    NativeLoop loop;
    loop.start = l.at(0).get<uint64_t>();
    loop.end = l.at(1).get<uint64_t>();
    loop.depth = l.at(2).get<int>();
    loop.function = strings.at(l.at(3).get<size_t>());
    loop.file = strings.at(l.at(4).get<size_t>());
    loop.line = l.at(5).get<int>();
    for (const json& range : l.at(6)) {
      uint64_t start = range.at(0).get<uint64_t>();
      loop.code.push_back({start, start + range.at(1).get<uint64_t>()});
    }
    loops.push_back(std::move(loop));
  }
  return loops;
}

SymbolAnswers answers_from(const json& j) {
  SymbolAnswers answers;
  const json& strings = j.at("strings");
  for (const json& module : j.at("modules")) {
    const std::string path = module.at("path"), build_id = module.at("build_id");
    for (const json& f : module.value("frames", json::array()))
      answers.frames[{path, build_id, f.at(0).get<uint64_t>()}] = frames_from(f.at(1), strings);
    for (const json& l : module.value("loops", json::array()))
      answers.loops[{path, build_id, l.at(0).get<uint64_t>()}] = loops_from(l.at(1), strings);
  }
  answers.problems = j.at("problems").get<std::vector<std::string>>();
  return answers;
}

}  // namespace

std::string symbols_json(const SymbolAnswers& answers) {
  Strings strings;
  std::map<Module, json> by_module;
  add(answers.frames, "frames", strings, by_module);
  add(answers.loops, "loops", strings, by_module);
  json modules = json::array();
  for (auto& [module, asked] : by_module) {
    asked["path"] = module.first;
    asked["build_id"] = module.second;
    modules.push_back(std::move(asked));
  }
  const json document = {{"schema", kSchema},
                         {"strings", strings.list()},
                         {"modules", std::move(modules)},
                         {"problems", answers.problems}};
  return document.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::optional<SymbolAnswers> parse_symbols_json(std::string_view text) {
  const json j = json::parse(text, nullptr, false);
  if (!j.is_object() || j.value("schema", json()) != kSchema) return std::nullopt;
  try {
    return answers_from(j);
  } catch (const json::exception&) {  // a value of another type than we write, or one too few
    return std::nullopt;
  }
}

}  // namespace tenure::record
