#include "report/terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <vector>

#include "report/bytes.h"
#include "report/finding_rows.h"
#include "report/paint.h"
#include "report/sentences.h"
#include "report/text.h"
#include "report/verdict_sentence.h"

namespace tenure::report {
namespace {

using analyze::Finding;
using analyze::Findings;
using analyze::MemoryParts;

constexpr int kSmallestWidth = 40;
constexpr size_t kMostFindings = 9;  // `show` has all
constexpr size_t kMostQuiet = 3;     // warnings and notes; `show --why` has all lines
constexpr size_t kMostLosses = 4;    // `show` has all

std::string upper(std::string word) {
  for (char& letter : word)
    letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  return word;
}

std::string painted_name(Verdict verdict, const Paint& paint) {
  if (verdict == Verdict::clean) return paint.bold("tenure:");
  return verdict == Verdict::unknown ? paint.yellow("tenure:") : paint.red("tenure:");
}

// A lone lifetime error needs no summary: its rows are the report.
bool is_one_error(const Findings& findings) {
  return findings.verdict == Verdict::lifetime_error && findings.findings.size() == 1;
}

bool is_quiet(const Finding& finding) {
  return finding.severity == Severity::warning || finding.severity == Severity::note ||
         finding.severity == Severity::accepted;
}

// Warnings and notes are few, or they are noise: the rest of them is one line. They come last.
size_t without_folded(const Findings& findings) {
  const auto first_quiet =
      std::find_if(findings.findings.begin(), findings.findings.end(), is_quiet);
  const auto loud = static_cast<size_t>(first_quiet - findings.findings.begin());
  return std::min(findings.findings.size(), loud + kMostQuiet);
}

// The rest is only a command away where there is a record to show.
size_t shown_findings(const Findings& findings, const TerminalOptions& options) {
  const bool has_limit = !options.has_parts && !options.record.empty();
  return std::min(without_folded(findings), has_limit ? kMostFindings : findings.findings.size());
}

std::string numbered_findings(const Findings& findings, const TerminalOptions& options,
                              const FindingStyle& style) {
  std::string text;
  const size_t shown = shown_findings(findings, options);
  for (size_t at = 0; at < shown; ++at) {
    const Finding& finding = findings.findings[at];
    const std::string lead = fmt::format("{:>3}  {}  ", at + 1, upper(code(finding.severity)));
    text += "\n" + headline_row(finding, lead, style) + detail_rows(finding, style);
  }
  const size_t unfolded = without_folded(findings), folded = findings.findings.size() - unfolded;
  if (shown < unfolded)
    text += fmt::format("\n  and {} more: tenure show {}\n", findings.findings.size() - shown,
                        printable(options.record));
  else if (folded > 0)
    text += fmt::format("\n  {} more: tenure show --why\n", folded);
  return text;
}

// A line of the foot: `  not seen: ...`, broken at the width.
std::string foot_line(const std::string& name, const std::string& words,
                      const FindingStyle& style) {
  const std::string lead = "  " + name + (name.empty() ? "" : ": ");
  std::string text;
  for (const std::string& line : wrapped(printable(words), style.width - width_of(lead))) {
    text += (text.empty() ? style.paint.dim(lead) : padded("", width_of(lead))) + line + "\n";
  }
  return text;
}

// How the program ended, when not by itself. A death by lack of memory is told by the first sentence.
std::string ending_of(const Findings& findings, const FindingStyle& style) {
  const bool is_told = findings.verdict == Verdict::out_of_memory;
  return is_told ? "" : foot_line("", rendered(findings.ending), style);
}

// Where only part of an adapter is off, its words do not say of what.
std::string loss_words(const std::string& name, const std::string& words) {
  constexpr std::string_view kAdapter = "adapter.";
  if (words.empty()) return name;
  if (!name.starts_with(kAdapter)) return rendered(words);
  return name.substr(kAdapter.size()) + " is " + rendered(words);
}

std::string losses_of(const Findings& findings, bool has_all, const FindingStyle& style) {
  // That small blocks are sampled is so in every run: told by `show`, not after each `run`.
  std::map<std::string, std::string> losses = findings.losses;
  if (!has_all) losses.erase("sampling");
  losses.erase("territory");  // seen all the same; figures_of() tells
  const size_t count = losses.size();
  const size_t shown = has_all || count <= kMostLosses ? count : kMostLosses - 1;
  std::string text;
  size_t at = 0;
  for (const auto& [name, words] : losses) {
    if (at++ == shown) break;
    text += foot_line("not seen", loss_words(name, words), style);
  }
  if (shown < count)
    text += foot_line("not seen", fmt::format("{} things more", count - shown), style);
  return text;
}

// What of the peak belongs to a model, most first.
std::string at_peak_line(const Findings& findings) {
  std::vector<std::pair<uint64_t, std::string>> roles;
  for (const auto& [role, bytes] : findings.at_peak) roles.emplace_back(bytes, role);
  std::sort(roles.rbegin(), roles.rend());
  std::vector<std::string> words;
  for (const auto& [bytes, role] : roles) words.push_back(human_bytes(bytes) + " " + role);
  return words.empty() ? "" : fmt::format("At the peak: {}", fmt::join(words, ", "));
}

std::string figures_of(const Findings& findings, const FindingStyle& style) {
  std::string text = foot_line("", parts_line(findings.parts), style);
  text += foot_line("", at_peak_line(findings), style);
  if (findings.steps > 0 && !findings.per.empty()) {
    text += foot_line("", fmt::format("A step is one {}.", rendered(findings.per)), style);
  }
  if (findings.program.processes > 1) {
    text += foot_line("",
                      fmt::format("{} processes were seen; resident memory and steps are of the "
                                  "main one. --processes lists them.",
                                  findings.program.processes),
                      style);
  }
  if (auto heap = findings.losses.find("territory"); heap != findings.losses.end())
    text += foot_line("", "Tenure's own heap is " + rendered(heap->second) + ".", style);
  return text;
}

std::string foot_of(const Findings& findings, const TerminalOptions& options,
                    const FindingStyle& style) {
  std::string text;
  const bool is_unknown = findings.verdict == Verdict::unknown;
  text += foot_line(
      "try", is_unknown ? advice_when_unknown(findings) : advice_after_crash(findings), style);
  if (options.has_parts) text += figures_of(findings, style);
  text += losses_of(findings, options.has_parts, style);
  if (!options.record.empty()) text += foot_line("again", "tenure show " + options.record, style);
  return text;
}

}  // namespace

std::string terminal_report(const Findings& findings, const TerminalOptions& options) {
  if (options.is_quiet && findings.verdict == Verdict::clean) return "";
  const Paint paint(options.has_color);
  const FindingStyle style{paint,
                           std::max(options.width, kSmallestWidth),
                           options.directory,
                           findings.per,
                           &findings.processes,
                           options.has_parts};
  std::string text;
  if (is_one_error(findings)) {
    const Finding& finding = findings.findings.front();
    text = headline_row(finding, "tenure: ", style) + detail_rows(finding, style);
  } else {
    text = painted_name(findings.verdict, paint) + " " +
           verdict_sentence(findings, options.directory) + "\n" + ending_of(findings, style) +
           numbered_findings(findings, options, style);
  }
  const std::string foot = foot_of(findings, options, style);
  return text + (foot.empty() || findings.findings.empty() ? "" : "\n") + foot;
}

std::string parts_line(const MemoryParts& parts) {
  if (parts.resident == 0) return "";
  const std::string resident = human_bytes(parts.resident);
  const std::string unit = resident.substr(resident.find(' '));
  std::vector<std::string> shares;
  const auto add = [&](uint64_t bytes, const char* name) {
    std::string amount = human_bytes(bytes);
    if (amount.ends_with(unit)) amount.resize(amount.size() - unit.size());
    if (bytes > 0) shares.push_back(amount + " " + name);
  };
  add(parts.tracked_live, "tracked");
  add(parts.other_live, "other live");
  add(parts.allocator_retention, "kept by the allocator");
  add(parts.code_and_stacks + parts.file_pages, "code and files");
  add(parts.own, "Tenure itself");
  add(parts.unknown, "unknown");
  return fmt::format("Resident {} at the last look: {}", resident, fmt::join(shares, ", "));
}

}  // namespace tenure::report
