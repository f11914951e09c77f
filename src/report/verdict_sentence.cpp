#include "report/verdict_sentence.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <vector>

#include "report/bytes.h"
#include "report/place.h"
#include "report/sentences.h"
#include "report/text.h"

namespace tenure::report {
namespace {

using analyze::Finding;
using analyze::Findings;
using analyze::ProgramInfo;

std::string signal_name(int number) {
  switch (number) {
    case SIGHUP:
      return "SIGHUP";
    case SIGINT:
      return "SIGINT";
    case SIGQUIT:
      return "SIGQUIT";
    case SIGILL:
      return "SIGILL";
    case SIGABRT:
      return "SIGABRT";
    case SIGBUS:
      return "SIGBUS";
    case SIGFPE:
      return "SIGFPE";
    case SIGKILL:
      return "SIGKILL";
    case SIGSEGV:
      return "SIGSEGV";
    case SIGPIPE:
      return "SIGPIPE";
    case SIGTERM:
      return "SIGTERM";
    default:
      return fmt::format("signal {}", number);
  }
}

uint64_t count_of(const Findings& findings, Severity severity) {
  return static_cast<uint64_t>(
      std::count_if(findings.findings.begin(), findings.findings.end(),
                    [&](const Finding& finding) { return finding.severity == severity; }));
}

std::string in_steps(const Findings& findings) {
  return findings.steps == 0 ? "" : " in " + counted(findings.steps, "step");
}

std::string accepted_in(const Findings& findings) {
  const uint64_t accepted = count_of(findings, Severity::accepted);
  return accepted == 0 ? "" : ", " + human_count(accepted) + " accepted";
}

std::string so_far(const Findings& findings) {
  return findings.program.is_running ? " so far" : "";
}

// `1 error and 2 leaks`; the bare verdict when analysis counted neither.
std::string what_was_found(const Findings& findings) {
  const uint64_t errors = count_of(findings, Severity::error);
  const uint64_t leaks = count_of(findings, Severity::leak);
  std::string text = errors > 0 ? counted(errors, "error") : "";
  if (leaks > 0) text += (text.empty() ? "" : " and ") + counted(leaks, "leak");
  return text.empty() ? code(findings.verdict) : text;
}

bool is_asked_to_end(int signal) {
  return signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGKILL;
}

// A program that failed comes first: what it did before says little of what it would have done.
std::string failure_of(const ProgramInfo& program) {
  if (program.is_running || program.is_end_unseen) return "";
  if (program.signal && !is_asked_to_end(*program.signal))
    return fmt::format("the program failed with {}. Until then: ", signal_name(*program.signal));
  if (program.signal || program.exit_code == 0) return "";
  return fmt::format("the program failed with exit code {}. Until then: ", program.exit_code);
}

std::string stop_of(const ProgramInfo& program) {
  const bool is_stopped = program.signal && is_asked_to_end(*program.signal);
  return is_stopped ? " until " + signal_name(*program.signal) + " ended it" : "";
}

std::string clean_sentence(const Findings& findings) {
  const uint64_t warnings = count_of(findings, Severity::warning);
  const std::string aside =
      (warnings > 0 ? ", " + counted(warnings, "warning") : "") + accepted_in(findings);
  const std::string end = stop_of(findings.program);
  if (!findings.findings.empty())
    return fmt::format("clean{}{}{}{}.", so_far(findings), end, in_steps(findings), aside);
  return fmt::format("clean{}{}. Nothing material was growing{}.", so_far(findings), end,
                     in_steps(findings));
}

std::string without_stop(std::string text) {
  while (text.ends_with('.') || text.ends_with(' ')) text.pop_back();
  return text;
}

std::string unknown_sentence(const Findings& findings) {
  const std::string reason = without_stop(printable(rendered(findings.reason)));
  return fmt::format("unknown{}{}{}{}.", so_far(findings), reason.empty() ? "" : ": ", reason,
                     accepted_in(findings));
}

const Finding* death_in(const Findings& findings) {
  for (const Finding& finding : findings.findings) {
    if (finding.kind == Kind::out_of_memory) return &finding;
  }
  return nullptr;
}

std::string how_it_ended(const Findings& findings) {
  const ProgramInfo& program = findings.program;
  if (program.is_running) return "is still running";
  if (program.signal) return "was killed by " + signal_name(*program.signal);
  const Finding* death = death_in(findings);
  const bool has_raised = death && death->error && !death->error->type.empty();
  if (program.exit_code != 0 && has_raised) return "ended with " + printable(death->error->type);
  return fmt::format("ended with exit code {}", program.exit_code);
}

std::string found_sentence(const Findings& findings) {
  return what_was_found(findings) + accepted_in(findings) + in_steps(findings) + so_far(findings) +
         ".";
}

// The first finding that says how much and whose.
const Finding* filler_in(const Findings& findings) {
  for (const Finding& finding : findings.findings) {
    if (finding.bytes > 0 && (!finding.where.empty() || finding.holder)) return &finding;
  }
  return nullptr;
}

std::string what_filled_memory(const Findings& findings, const std::string& directory) {
  const Finding* filler = filler_in(findings);
  if (!filler) return "";
  std::string text = " It held " + human_bytes(filler->bytes);
  if (!filler->where.empty()) {
    const analyze::Place& place = filler->where.front();
    const bool is_kept = place.role == PlaceRole::kept_at;
    text += (is_kept ? " kept at " : " made at ") + place_text(place, directory);
  }
  if (filler->holder) text += ", kept by " + printable(holder_text(*filler->holder));
  return text + ".";
}

std::string death_sentence(const Findings& findings, const std::string& directory) {
  const std::string after = findings.steps > 0 ? " after " + counted(findings.steps, "step") : "";
  const std::string resident =
      findings.resident_peak_bytes > 0
          ? ", with at most " + human_bytes(findings.resident_peak_bytes) + " resident"
          : "";
  return fmt::format("out of memory: {} {}{}{}.{}", program_name(findings.program),
                     how_it_ended(findings), after, resident,
                     what_filled_memory(findings, directory));
}

std::string first_sentence(const Findings& findings, const std::string& directory) {
  switch (findings.verdict) {
    case Verdict::clean:
      return failure_of(findings.program) + clean_sentence(findings);
    case Verdict::unknown:
      return unknown_sentence(findings);
    case Verdict::out_of_memory:
      return death_sentence(findings, directory);
    case Verdict::lifetime_error:  // is told as what it failed of
      return found_sentence(findings);
    case Verdict::leak:
      break;
  }
  return failure_of(findings.program) + found_sentence(findings);
}

std::string peak_sentence(const Findings& findings) {
  const uint64_t peak = std::max(findings.peak_bytes, findings.joint_peak.bytes);
  if (peak == 0) return "";
  if (findings.joint_peak.processes > 1)
    return fmt::format(" Peak {} in {} processes.", human_bytes(peak),
                       findings.joint_peak.processes);
  const std::string when =
      findings.peak_step > 0 ? " at step " + human_count(findings.peak_step) : "";
  return fmt::format(" Peak {}{}.", human_bytes(peak), when);
}

// A large share of a short program is little time: told as both.
constexpr double kLargeShare = 0.01;

// What was not measured is left out.
std::string cost_sentence(const Findings& findings) {
  std::vector<std::string> costs;
  const analyze::OwnCost& cost = findings.cost;
  const double share = cost.time_share();
  const std::string seconds =
      share >= kLargeShare ? fmt::format(" ({})", human_seconds(cost.seconds())) : "";
  if (share > 0) costs.push_back(human_share(share) + " of the processor time" + seconds);
  if (cost.bytes > 0) costs.push_back(human_bytes(cost.bytes));
  return costs.empty() ? "" : fmt::format(" Own cost: {}.", fmt::join(costs, ", "));
}

std::string base_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

bool is_python(const std::string& path) { return base_name(path).starts_with("python"); }

// The script or module of an interpreter's arguments; empty for code given on the command line.
std::string script_of(const std::vector<std::string>& arguments) {
  for (size_t at = 1; at < arguments.size(); ++at) {
    const std::string& argument = arguments[at];
    if (argument == "-c") return "";
    if (argument == "-m") return at + 1 < arguments.size() ? arguments[at + 1] : "";
    if (argument == "-W" || argument == "-X") ++at;
    if (!argument.starts_with('-')) return base_name(argument);
  }
  return "";
}

// Libraries that can be told to use the system's heap.
std::string advice_for_unseen(const Findings& findings) {
  if (findings.unseen_library.starts_with("libarrow"))
    return "ARROW_DEFAULT_MEMORY_POOL=system in its environment, so that its blocks are seen";
  return "let the library use the system's malloc, if it has an option for that";
}

}  // namespace

std::string verdict_sentence(const Findings& findings, const std::string& directory) {
  return first_sentence(findings, directory) + peak_sentence(findings) + cost_sentence(findings);
}

std::string advice_after_crash(const Findings& findings) {
  const int signal = findings.program.signal.value_or(0);
  const bool is_bad_access = signal == SIGSEGV || signal == SIGBUS || signal == SIGABRT;
  if (!is_bad_access || count_of(findings, Severity::error) > 0) return "";
  return findings.program.is_guarded
             ? "a debugger shows the instruction; it used no guarded block"
             : "`tenure run --guard` tells whether a freed block was used, and who freed it";
}

std::string advice_when_unknown(const Findings& findings) {
  if (std::string advice = advice_after_crash(findings); !advice.empty()) return advice;
  if (findings.peak_bytes == 0) return "`tenure doctor` tells which hooks work here";
  if (findings.losses.contains(code(OtherLoss::memory))) return advice_for_unseen(findings);
  if (findings.losses.contains(code(OtherLoss::device))) return "";
  if (findings.program.is_running) return "look again when it has done more";
  if (findings.program.signal) return "let it run further; Ctrl-C still gives the report";
  if (findings.steps > 0) {
    return fmt::format("let it run longer; {} cannot tell", counted(findings.steps, "step"));
  }
  return "let it run longer, or mark its steps with tenure.step()";
}

std::string program_name(const ProgramInfo& program) {
  if (program.arguments.empty()) return "the program";
  const std::string& command = program.arguments.front();
  const std::string script = is_python(command) ? script_of(program.arguments) : "";
  return printable(script.empty() ? base_name(command) : script);
}

}  // namespace tenure::report
