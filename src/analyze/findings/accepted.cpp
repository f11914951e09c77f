#include "analyze/findings/accepted.h"

#include <algorithm>

#include "base/sentence_reader.h"

namespace tenure::analyze {
namespace {

bool is_path_to(std::string_view path, std::string_view file) {
  if (!path.ends_with(file)) return false;
  return path.size() == file.size() || path[path.size() - file.size() - 1] == '/';
}

// "train.py:42"
bool names_line(std::string_view entry, const std::string& file, int line) {
  const size_t colon = entry.rfind(':');
  return colon != std::string_view::npos && entry.substr(colon + 1) == std::to_string(line) &&
         is_path_to(file, entry.substr(0, colon));
}

// Whether `entry` is `name`, or its last parts: "buffer" and "runner.buffer" of "self.runner.buffer".
bool is_end_of(std::string_view name, std::string_view entry) {
  return name.ends_with(entry) &&
         (name.size() == entry.size() || name[name.size() - entry.size() - 1] == '.');
}

bool names_holder(std::string_view entry, const Holder& holder) {
  if (is_end_of(read_sentence(holder.text)["name"], entry)) return true;
  std::string way;
  for (const HolderStep& step : holder.path) {
    const bool is_attribute = step.name.starts_with('.');
    way += (way.empty() || is_attribute ? "" : ".") + step.name;
    if (is_end_of(way, entry)) return true;
  }
  return false;
}

bool is_error(const Finding& finding) {
  return finding.severity == Severity::error || finding.error.has_value();
}

}  // namespace

bool Accepted::accept(Finding& finding) const {
  if (is_error(finding)) return false;
  for (const std::string& entry : entries_) {
    const bool is_line =
        std::any_of(finding.where.begin(), finding.where.end(), [&](const Place& place) {
          return place.role != PlaceRole::released_at && names_line(entry, place.file, place.line);
        });
    if (finding.accepted_by.empty() &&
        (is_line || (finding.holder && names_holder(entry, *finding.holder))))
      finding.accepted_by = entry;
  }
  if (finding.accepted_by.empty()) return false;
  finding.severity = Severity::accepted;
  return true;
}

bool Accepted::covers(const Judgement& judgement) const {
  if (judgement.growth.is_ignored) return true;
  return std::any_of(entries_.begin(), entries_.end(), [&](const std::string& entry) {
    return names_line(entry, judgement.growth.line.file, judgement.growth.line.line) ||
           (judgement.held && names_holder(entry, judgement.held->holder));
  });
}

}  // namespace tenure::analyze
