#include "analyze/page/groups.h"

#include <map>

#include "analyze/page/line_table.h"
#include "base/sentence_writer.h"
#include "base/source_path.h"

namespace tenure::analyze {
namespace {

std::string first_part(std::string_view path) {
  return std::string(path.substr(0, path.find('/')));
}

// All, the groups, and in each its lines. A group is as large as its lines.
std::vector<PageCall> grouped(const PageProcess& process,
                              const std::vector<std::string>& group_of) {
  std::vector<PageCall> calls(1);
  std::map<std::string, uint32_t> groups;
  const auto add = [&](uint32_t at, const PageLine& line) {
    calls[at].peak_bytes += line.peak_bytes;
    calls[at].live_bytes += line.live_bytes;
    calls[at].total_bytes += line.total_bytes;
  };
  for (size_t i = 0; i < process.lines.size(); ++i) {
    const PageLine& line = process.lines[i];
    const auto [group, is_new] =
        groups.try_emplace(group_of[i], static_cast<uint32_t>(calls.size()));
    if (is_new) calls.push_back({0, group_of[i], "", 0, false, 0, 0, 0});
    calls.push_back({group->second, line.place.function, line.place.file, line.place.line,
                     is_user_file(line.place.file), 0, 0, 0});
    for (uint32_t at : {uint32_t{0}, group->second, static_cast<uint32_t>(calls.size() - 1)})
      add(at, line);
  }
  add(0, process.other_lines);
  return calls;
}

std::vector<std::string> holders(const std::vector<Judgement>& lines, const PageProcess& process) {
  std::vector<std::string> names(process.lines.size());
  for (const Judgement& judgement : lines) {
    const std::optional<size_t> line = line_of(judgement.growth.line, process);
    if (line && judgement.held) names[*line] = judgement.held->holder.text;
  }
  return names;
}

}  // namespace

std::string module_of(const Place& place) {
  const std::string_view file = place.file;
  for (std::string_view folder : {"/site-packages/", "/dist-packages/"}) {
    if (const size_t at = file.find(folder); at != std::string_view::npos)
      return first_part(file.substr(at + folder.size()));
  }
  if (is_standard_library(file) || is_importlib(file)) return sentence("module.standard_library");
  return place.line > 0 ? place.file : std::string(file.substr(file.rfind('/') + 1));
}

void add_groups(const std::vector<Judgement>& lines, PageProcess& out) {
  std::vector<std::string> modules, ops;
  for (const PageLine& line : out.lines) {
    modules.push_back(module_of(line.place));
    ops.push_back(line.op);
  }
  out.by_holder = grouped(out, holders(lines, out));
  out.by_module = grouped(out, modules);
  out.by_op = grouped(out, ops);
}

}  // namespace tenure::analyze
