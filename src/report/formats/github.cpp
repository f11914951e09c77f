#include "report/formats/github.h"

#include <fmt/format.h>

#include <string_view>

namespace tenure::report {
namespace {

// The runner reads these characters as its own: in values of properties also those that separate them.
std::string escaped(std::string_view text, std::string_view special) {
  std::string result;
  for (char c : text) {
    if (special.find(c) == std::string_view::npos)
      result += c;
    else
      result += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return result;
}

std::string of_message(std::string_view text) { return escaped(text, "%\r\n"); }
std::string of_property(std::string_view text) { return escaped(text, "%\r\n:,"); }

const char* command_of(Level level) { return level == Level::note ? "notice" : name_of(level); }

std::string annotation(const Problem& problem) {
  std::string properties;
  if (problem.place && !problem.place->file.empty()) {
    properties += "file=" + of_property(problem.place->file) + ",";
    if (problem.place->line > 0) properties += fmt::format("line={},", problem.place->line);
  }
  properties += "title=" + of_property("tenure: " + problem.rule);
  const std::string words =
      problem.headline + (problem.details.empty() ? "" : "\n" + problem.details);
  return fmt::format("::{} {}::{}\n", command_of(problem.level), properties, of_message(words));
}

}  // namespace

std::string github_annotations(const std::vector<Problem>& problems) {
  std::string text;
  for (const Problem& problem : problems) text += annotation(problem);
  return text;
}

}  // namespace tenure::report
