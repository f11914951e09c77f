#include "report/source_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "base/short_place.h"
#include "base/source_path.h"

namespace tenure::report {
namespace {

using analyze::Finding;
using analyze::Findings;
using analyze::Place;

bool is_name_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// A block that Python owned lives as long as the variable its line assigns: the fix can name it.
void name_owner(Finding& finding) {
  if (finding.kind != Kind::use_after_free) return;
  auto made = std::find_if(finding.where.begin(), finding.where.end(),
                           [](const Place& place) { return place.role == PlaceRole::created; });
  if (made == finding.where.end() || !made->file.ends_with(".py")) return;
  const std::string name = assigned_name(made->source);
  if (name.empty()) return;
  finding.fix = fmt::format(
      "keep `{}` of line {} alive as long as its address is used: store it beside the address, or "
      "copy what is needed before it goes",
      name, made->line);
}

void add_to_ending(record::Sources& sources, Findings& findings) {
  if (!findings.ended_at) return;
  const Place& place = *findings.ended_at;
  const std::string& text = sources.line(place.file, place.line);
  if (text.empty()) return;
  findings.ending =
      fmt::format("Interrupted at {}, waiting in: {}.", short_place(place.file, place.line), text);
}

// Files that findings name and that were written to after the program began.
std::set<std::string> changed_files(const record::Sources& sources) {
  std::set<std::string> changed;
  for (const auto& [place, text] : sources.answers().lines) {
    auto file = sources.answers().files.find(place.first);
    if (file != sources.answers().files.end() && file->second.state == record::SourceState::changed)
      changed.insert(place.first);
  }
  return changed;
}

void say_what_is_missing(const record::Sources& sources, Findings& findings) {
  if (!sources.answers().has_text) {
    findings.losses[code(OtherLoss::source)] = "source text was left out (--no-source)";
    return;
  }
  const std::set<std::string> changed = changed_files(sources);
  if (changed.empty()) return;
  const std::string others =
      changed.size() > 1 ? fmt::format(" and {} more", changed.size() - 1) : "";
  findings.losses[code(OtherLoss::source)] =
      fmt::format("{}{} changed while the program ran: lines are shown without their text",
                  *changed.begin(), others);
}

}  // namespace

void add_source_text(record::Sources& sources, Findings& findings) {
  for (Finding& finding : findings.findings) {
    for (Place& place : finding.where) {
      const bool is_given = !place.source.empty() && sources.answers().has_text;  // of a cell
      if (!is_given) place.source = sources.line(place.file, place.line);
    }
    name_owner(finding);
  }
  for (analyze::ConsideredLine& line : findings.considered) {
    Place& place = line.place;
    const bool is_given = !place.source.empty() && sources.answers().has_text;  // of a cell
    const bool has_file = is_user_file(place.file) && !is_typed_code(place.file);
    if (has_file && !is_given) place.source = sources.line(place.file, place.line);
  }
  add_to_ending(sources, findings);
  say_what_is_missing(sources, findings);
}

void add_source_text(record::Sources& sources, analyze::Page& page) {
  for (analyze::PageProcess& process : page.processes) {
    for (analyze::PageLine& line : process.lines) {
      Place& place = line.place;
      const bool is_shown = place.line > 0 && !line.births.empty();
      if (is_shown && is_user_file(place.file) && !is_typed_code(place.file))
        place.source = sources.line(place.file, place.line);
    }
  }
}

void add_source_text(record::Sources& sources, analyze::MadeSince& since) {
  for (analyze::SinceLine& line : since.lines) {
    for (Place& place : line.where) {
      const bool is_given = !place.source.empty() && sources.answers().has_text;  // of a cell
      if (!is_given) place.source = sources.line(place.file, place.line);
    }
  }
}

std::string assigned_name(const std::string& line) {
  auto end = std::find_if_not(line.begin(), line.end(), is_name_character);
  const std::string name(line.begin(), end);
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0]))) return "";
  while (end != line.end() && (*end == ' ' || *end == '\t')) ++end;
  if (end != line.end() && std::string_view("+-*/|&^%").find(*end) != std::string_view::npos) ++end;
  bool assigns = end != line.end() && *end == '=' && (end + 1 == line.end() || end[1] != '=');
  return assigns ? name : "";
}

}  // namespace tenure::report
