#include "report/block_path.h"

#include <fmt/format.h>

#include "base/sentence_reader.h"
#include "report/bytes.h"
#include "report/place.h"
#include "report/sentences.h"
#include "report/text.h"

namespace tenure::report {
namespace {

std::string step_line(const analyze::PathStep& step, size_t depth) {
  std::string text = std::string(2 * depth + 2, ' ') + printable(rendered(step.name));
  const bool is_said = step.type.empty() || step.type == "module" || step.type == "frame";
  if (!is_said) text += fmt::format("  ({}", printable(step.type));
  if (!is_said && step.length) text += fmt::format(", {} items", human_count(step.length));
  return text + (is_said ? "\n" : ")\n");
}

bool says_held_by(const std::string& holder) {
  return code_in(read_sentence(holder)["text"]) == "holder.at_once";
}

}  // namespace

std::string block_path_text(const analyze::BlockPath& path, const std::string& directory) {
  std::string text = human_bytes(path.bytes);
  if (path.holder.empty())
    text += ", and no Python object leads there";
  else
    text += (says_held_by(path.holder) ? ", " : ", held by ") + printable(rendered(path.holder));
  text += "\n";
  if (path.made) text += "  made at " + place_text(*path.made, directory) + "\n";
  for (size_t i = 0; i < path.steps.size(); ++i) text += step_line(path.steps[i], i);
  return text;
}

}  // namespace tenure::report
