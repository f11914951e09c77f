#include "report/formats/trace_json.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "report/text.h"

namespace tenure::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kMicroseconds = 1e6;

Json counter(const char* name, int pid, double seconds, const char* unit, uint64_t value) {
  return {{"name", name},
          {"ph", "C"},
          {"pid", pid},
          {"ts", std::round(seconds * kMicroseconds)},
          {"args", {{unit, value}}}};
}

void add(const analyze::ProcessTimeline& timeline, const std::string& name, Json& events) {
  const std::string words = timeline.is_main ? name : name + ", child process";
  events.push_back({{"name", "process_name"},
                    {"ph", "M"},
                    {"pid", timeline.pid},
                    {"args", {{"name", valid_utf8(words)}}}});
  for (const analyze::TimelinePoint& point : timeline.points) {
    events.push_back(counter("live memory", timeline.pid, point.seconds, "bytes", point.live));
    if (point.steps)
      events.push_back(counter("steps", timeline.pid, point.seconds, "steps", *point.steps));
  }
}

}  // namespace

std::string trace_json(const std::vector<analyze::ProcessTimeline>& timelines,
                       const std::vector<record::Moment>& moments, const std::string& name) {
  Json events = Json::array();
  for (const analyze::ProcessTimeline& timeline : timelines) {
    add(timeline, name, events);
    if (!timeline.is_main) continue;
    for (const record::Moment& moment : moments)
      events.push_back(
          counter("resident memory", timeline.pid, moment.seconds, "bytes", moment.resident));
  }
  const Json document = {{"traceEvents", std::move(events)}, {"displayTimeUnit", "ms"}};
  return document.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tenure::report
