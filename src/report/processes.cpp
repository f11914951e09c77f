#include "report/processes.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/bytes.h"
#include "report/process_words.h"
#include "report/text.h"
#include "report/verdict_sentence.h"

namespace tenure::report {
namespace {

using analyze::ProcessFigures;

constexpr int kSmallestName = 12;  // columns

std::string name_of(const ProcessFigures& process) {
  analyze::ProgramInfo program;
  program.arguments = process.arguments;
  return program_name(program);
}

std::string resident_of(const ProcessFigures& process) {
  return process.resident_peak_bytes > 0 ? human_bytes(process.resident_peak_bytes) : "-";
}

std::string row(const ProcessFigures& process, int width) {
  std::string lead =
      fmt::format("{:>9} {:>9} {:>7.1f} {:>7.1f}  {:>10} {:>10} {:>10}  {:<5}  ", process.pid,
                  process.parent_pid, process.began_seconds, process.ended_seconds,
                  human_bytes(process.peak_bytes), human_bytes(process.live_bytes),
                  resident_of(process), process.has_leak ? "LEAK" : "");
  const std::string role = role_words(process.role);
  const std::string ending = role.empty() ? "" : ", " + role;  // never cut: the name is known
  const int room = width - width_of(lead) - width_of(ending);
  std::string text = lead + cut(name_of(process), std::max(room, kSmallestName)) + ending;
  text.erase(text.find_last_not_of(' ') + 1);
  return text + "\n";
}

}  // namespace

std::string processes_table(const analyze::Findings& findings, int width) {
  if (findings.processes.empty()) return "  no process was seen\n";
  std::string text = fmt::format("{:>9} {:>9} {:>7} {:>7}  {:>10} {:>10} {:>10}\n", "process",
                                 "parent", "from s", "to s", "peak", "at end", "resident");
  for (const ProcessFigures& process : findings.processes) text += row(process, width);
  return text;
}

}  // namespace tenure::report
