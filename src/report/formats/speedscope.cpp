#include "report/formats/speedscope.h"

#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "base/version.h"
#include "report/text.h"

namespace tenure::report {
namespace {

using analyze::ReadableFrame;
using analyze::StackSample;
using Json = nlohmann::ordered_json;

// Each frame once, in the order in which they come.
class FrameTable {
 public:
  size_t index_of(const ReadableFrame& frame) {
    auto [found, is_new] =
        known_.try_emplace({frame.file, frame.line, frame.function}, frames_.size());
    if (is_new) frames_.push_back(json_of(frame));
    return found->second;
  }
  Json take() { return std::move(frames_); }

 private:
  static Json json_of(const ReadableFrame& frame) {
    Json json = {{"name", frame_name(frame)}};
    if (!frame.file.empty()) json["file"] = valid_utf8(frame.file);
    if (frame.line > 0) json["line"] = frame.line;
    return json;
  }

  std::map<std::tuple<std::string, int, std::string>, size_t> known_;
  Json frames_ = Json::array();
};

Json profile_of(const std::vector<StackSample>& samples, Figure figure, FrameTable& frames) {
  Json stacks = Json::array(), weights = Json::array();
  uint64_t sum = 0;
  for (const StackSample& sample : samples) {
    const uint64_t bytes = figures_of(sample, figure).bytes;
    if (bytes == 0 || sample.frames.empty()) continue;
    Json stack = Json::array();
    for (auto frame = sample.frames.rbegin(); frame != sample.frames.rend(); ++frame)
      stack.push_back(frames.index_of(*frame));
    stacks.push_back(std::move(stack));
    weights.push_back(bytes);
    sum += bytes;
  }
  return {{"type", "sampled"},
          {"name", name_of(figure)},
          {"unit", "bytes"},
          {"startValue", 0},
          {"endValue", sum},
          {"samples", std::move(stacks)},
          {"weights", std::move(weights)}};
}

}  // namespace

std::string speedscope(const std::vector<StackSample>& samples, Figure shown,
                       const std::string& name) {
  FrameTable frames;
  Json profiles = Json::array();
  for (Figure figure : kFigures) profiles.push_back(profile_of(samples, figure, frames));
  const Json document = {{"$schema", "https://www.speedscope.app/file-format-schema.json"},
                         {"shared", {{"frames", frames.take()}}},
                         {"profiles", std::move(profiles)},
                         {"name", valid_utf8(name)},
                         {"activeProfileIndex", static_cast<int>(shown)},
                         {"exporter", "tenure " + version_words()}};
  return document.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tenure::report
