#include "report/formats/collapsed.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "report/place.h"

namespace tenure::report {
namespace {

using analyze::StackSample;

// The format has no way to write these inside of a frame.
std::string without_separators(std::string text) {
  std::replace(text.begin(), text.end(), ';', ':');
  return text;
}

std::string frame_text(const analyze::ReadableFrame& frame, const std::string& directory) {
  std::string text = frame_name(frame);
  if (!frame.file.empty() && !frame.function.empty())
    text += fmt::format(" ({}{})", shown_path(frame.file, directory),
                        frame.line > 0 ? fmt::format(":{}", frame.line) : "");
  return without_separators(text);
}

std::string stack_text(const StackSample& sample, bool has_process, const std::string& directory) {
  std::string text = has_process ? fmt::format("process {}", sample.pid) : "";
  for (auto frame = sample.frames.rbegin(); frame != sample.frames.rend(); ++frame)
    text += (text.empty() ? "" : ";") + frame_text(*frame, directory);
  return text.empty() ? "unknown" : text;
}

}  // namespace

std::string collapsed(const std::vector<StackSample>& samples, Figure figure,
                      const std::string& directory) {
  std::set<int> processes;
  for (const StackSample& sample : samples) processes.insert(sample.pid);
  std::map<std::string, uint64_t> bytes_of;
  for (const StackSample& sample : samples) {
    const uint64_t bytes = figures_of(sample, figure).bytes;
    if (bytes > 0) bytes_of[stack_text(sample, processes.size() > 1, directory)] += bytes;
  }
  std::vector<std::pair<std::string, uint64_t>> stacks(bytes_of.begin(), bytes_of.end());
  std::stable_sort(stacks.begin(), stacks.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (const auto& [stack, bytes] : stacks) text += fmt::format("{} {}\n", stack, bytes);
  return text;
}

}  // namespace tenure::report
