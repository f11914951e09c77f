#include "analyze/analysis.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>

#include "analyze/balance/line_balance.h"
#include "analyze/balance/memory_parts.h"
#include "analyze/balance/own_cost.h"
#include "analyze/balance/process_roles.h"
#include "analyze/balance/processes.h"
#include "analyze/balance/unseen.h"
#include "analyze/errors/ending.h"
#include "analyze/errors/lifetime_errors.h"
#include "analyze/findings/accepted.h"
#include "analyze/findings/cells.h"
#include "analyze/findings/considered.h"
#include "analyze/findings/error_findings.h"
#include "analyze/findings/growth_findings.h"
#include "analyze/findings/losses.h"
#include "analyze/findings/merge.h"
#include "analyze/findings/pile_findings.h"
#include "analyze/growth/growth.h"
#include "analyze/growth/siblings.h"
#include "analyze/judge_each.h"
#include "analyze/page/page_process.h"
#include "analyze/run/figures.h"
#include "analyze/run/process_run.h"
#include "analyze/run/scopes.h"
#include "base/sentence_writer.h"
#include "base/source_path.h"
#include "base/whole.h"

namespace tenure::analyze {
namespace {

void add_program(const ledger::Reader& ledger, bool is_main, Findings& out) {
  if (is_main || out.program.python.empty()) out.program.python = ledger.fact("python");
  out.program.is_guarded |= ledger.fact("guard") == "on";
  for (const ledger::Fact& fact : ledger.facts()) {
    std::string_view key = ledger.string(fact.key);
    if (key.rfind("framework.", 0) == 0)
      out.program.frameworks[std::string(key.substr(10))] = ledger.string(fact.value);
  }
  if (out.program.arguments.empty()) out.program.arguments = arguments_of(ledger);
}

void add_main_figures(const ProcessRun& process, Findings& out) {
  const ledger::Reader& ledger = process.frames.ledger();
  const ledger::Header& h = ledger.header();
  const TrackedMemory tracked = tracked_memory(ledger);
  out.live_bytes = tracked.live_bytes;
  out.peak_bytes = tracked.peak_bytes;
  out.parts = memory_parts(ledger, process.outcome());
  if (auto unit = process.units.main_unit()) {
    out.steps = unit->steps;
    out.per = Cells(ledger).named(unit->per);
    out.peak_step = whole(std::ceil(unit->count_at(h.peak_tick.load())));
  }
}

// Mappings are no tracked memory until they are touched, but what is told of them was there.
void raise_peak(Findings& out) {
  for (const Finding& finding : out.findings) {
    if (finding.severity == Severity::leak || finding.severity == Severity::warning)
      out.joint_peak.bytes = std::max(out.joint_peak.bytes, finding.bytes);
  }
}

int rank(const Finding& f) { return static_cast<int>(f.severity); }

void sort_findings(Findings& out) {
  std::stable_sort(out.findings.begin(), out.findings.end(),
                   [](const Finding& a, const Finding& b) {
                     return rank(a) != rank(b) ? rank(a) < rank(b) : a.bytes > b.bytes;
                   });
  std::stable_sort(out.considered.begin(), out.considered.end(),
                   [](const ConsideredLine& a, const ConsideredLine& b) {
                     return a.bytes != b.bytes ? a.bytes > b.bytes : a.most_bytes > b.most_bytes;
                   });
}

std::string why_nothing_was_seen(const record::Record& record) {
  if (!record.outcome.not_seen.empty()) return record.outcome.not_seen;
  if (!record.unreadable.empty()) return record.unreadable.front();
  bool has_joined =
      std::any_of(record.outcome.processes.begin(), record.outcome.processes.end(),
                  [](const record::ProcessOutcome& process) { return !process.has_begun; });
  return has_joined ? sentence("unknown.not_begun") : sentence("unknown.not_joined");
}

Holders holders_in(const record::Record& record, int index) {
  return {snapshots_of(record, index), main_file_of(record, index)};
}

std::string too_short_sentence(const std::vector<Judgement>& judgements, const Accepted& accepted) {
  for (const Judgement& j : judgements) {
    if (j.growth.what != GrowthClass::too_short || accepted.covers(j)) continue;
    return sentence("unknown.too_short",
                    {{"bytes", j.growth.bytes}, {"steps", j.growth.steps}, {"per", j.growth.per}});
  }
  return "";
}

// What one process came to, stage by stage.
struct ProcessResult {
  GrowthJudgements growth;
  std::vector<LifetimeError> errors;
  std::string grown_type;  // of small Python objects
};

// One process of the record, and what refers to it.
struct JudgedProcess {
  JudgedProcess(const record::Record& record, int index, const ledger::Reader& ledger,
                const std::string& steps, bool is_from_first_step)
      : frames(ledger, *record.symbols),
        units(frames, steps, is_from_first_step),
        program(snapshots_of(record, index)),
        run{record, index, frames, units, program} {}

  Frames frames;
  Units units;
  bytecode::Program program;
  ProcessRun run;
  ProcessResult result;
};

ProcessResult run_stages(const ProcessRun& process) {
  Evidence evidence = collect_evidence(process.frames, process.units);
  Holders holders = holders_in(process.record, process.index);
  Causes causes(process.frames);
  ProcessResult result;
  result.growth = judge_growth(process, evidence, holders, causes);
  result.errors = lifetime_errors(process.frames);
  for (LifetimeError& wait : waits_for_queues(process.frames))
    result.errors.push_back(std::move(wait));
  result.grown_type = holders.grown_type();
  return result;
}

void add_to_balance(const ProcessResult& result, const Accepted& accepted, Balance& balance) {
  balance.has_lifetime_error |=
      std::any_of(result.errors.begin(), result.errors.end(),
                  [](const LifetimeError& error) { return error.told_as == Severity::error; });
  if (balance.too_short.empty())
    balance.too_short = too_short_sentence(result.growth.lines, accepted);
}

// What a leak tells already is not told again for the garbage that waits at its line.
bool is_told(const std::vector<Finding>& told, const GarbagePile& pile) {
  return std::any_of(pile.made_there.begin(), pile.made_there.end(), [&](const Place& place) {
    return std::any_of(told.begin(), told.end(), [&](const Finding& f) {
      return f.severity == Severity::leak && has_place(f.where, place.file, place.line);
    });
  });
}

std::vector<Finding> findings_of(const ProcessRun& process, ProcessResult result) {
  uint64_t peak = process.frames.ledger().header().peak_bytes.load();
  std::vector<Finding> found = describe_growth(
      process, to_be_told(merge_growths(std::move(result.growth.lines)), peak), result.grown_type);
  const GrowthJudgements& growth = result.growth;
  if (growth.garbage && !is_told(found, *growth.garbage))
    found.push_back(describe_garbage(*growth.garbage));
  if (growth.copied) found.push_back(describe_copies(*growth.copied));
  for (LifetimeError& error : result.errors) found.push_back(describe_error(std::move(error)));
  Cells cells(process.frames.ledger());
  for (Finding& finding : found) cells.name(finding);
  return found;
}

// What the user accepts is told, and is no leak. Whether there is one that nobody accepted.
bool has_leak_beside(const Accepted& accepted, bool has_leak, std::vector<Finding>& found) {
  const auto count = std::count_if(found.begin(), found.end(),
                                   [&](Finding& finding) { return accepted.accept(finding); });
  return has_leak && (count == 0 || std::any_of(found.begin(), found.end(), [](const Finding& f) {
                        return f.severity == Severity::leak;
                      }));
}

// Figures, death and ending of the process that the report is about.
void add_main_process(const ProcessRun& process, Findings& out, Balance& balance) {
  Frames& frames = process.frames;
  add_main_figures(process, out);
  out.at_peak = roles_at_peak(frames);
  if (auto death = out_of_memory(frames, process.record.outcome)) {
    balance.is_out_of_memory = true;
    out.findings.push_back(describe_death(std::move(*death)));
  }
  out.ending = ending_sentence(frames, process.record.outcome);
  out.ended_at = interrupted_at(frames);
  balance.never_ran = never_ran(frames.ledger());
  if (std::string_view off = heap_off(frames.ledger()); !off.empty()) {
    out.losses[code(OtherLoss::heap)] = std::string(off);
    balance.heap_off = sentence("unknown.own_malloc");
  }
}

std::string why_too_early(const record::RunOutcome& outcome) {
  if (outcome.is_end_unseen) return sentence("unknown.end_unseen");
  if (outcome.is_detached) return sentence("unknown.detached");
  return outcome.has_ended ? sentence("unknown.killed") : sentence("unknown.running");
}

// What of a process could not be seen, so that nothing can be said of it for sure.
void add_unseen(const ProcessRun& process, Findings& out, Balance& balance) {
  const ledger::Reader& ledger = process.frames.ledger();
  auto note = [&](OtherLoss loss, std::string what, std::string why_unknown) {
    out.losses[code(loss)] = std::move(what);
    if (balance.not_seen.empty()) balance.not_seen = std::move(why_unknown);
  };
  const record::RunOutcome& run = process.record.outcome;
  bool is_alone = run.processes.size() == 1;  // the kernel told the most of any of them
  // Pages that a forked child shares with its parent are the parent's.
  bool is_child = std::any_of(run.processes.begin(), run.processes.end(), [&](const auto& other) {
    return other.pid == ledger.header().parent_pid;
  });
  const Activity activity(ledger, process.units.first_tick());
  UnseenMemory unseen =
      unseen_memory(process.frames, activity, process.outcome(), is_alone ? run.resident_peak : 0);
  if (is_child) unseen.bytes = 0;
  out.unseen_bytes = std::max(out.unseen_bytes, unseen.bytes);
  out.unseen_growth_bytes = std::max(out.unseen_growth_bytes, unseen.growth.bytes);
  // What was resident when Tenure was attached is told as such.
  const bool is_past = run.settings.is_attached && unseen.growth.is_measured;
  if ((unseen.is_much() && !is_past) || unseen.has_grown()) {
    if (out.unseen_library.empty()) out.unseen_library = unseen.library;
    std::optional<Place> line;
    if (unseen.has_grown()) line = line_of_growth(process.frames, unseen.growth);
    UnseenWords words = words_of(unseen, line);
    note(OtherLoss::memory, words.loss, unseen.is_too_much() ? words.why_unknown : "");
  }
  if (std::string_view device = ledger.fact("device"); !device.empty())
    note(OtherLoss::device, sentence("loss.device", {{"device", device}}),
         sentence("unknown.device", {{"device", device}}));
  std::string_view lines = ledger.fact("python_frames");
  if (lines.starts_with("off") && balance.not_seen.empty())
    balance.not_seen = sentence("unknown.python_lines", {{"why", lines}});
}

// Position in the record; `pid` 0: the main process.
std::optional<int> process_of(const record::Record& record, int pid) {
  if (pid == 0) return main_process(record);
  const auto& processes = record.outcome.processes;
  for (size_t i = processes.size(); i-- > 0;) {
    if (processes[i].pid == pid) return static_cast<int>(i);
  }
  return std::nullopt;
}

Findings about_run(const record::Record& record) {
  Findings out;
  out.program.arguments = record.outcome.arguments;
  out.program.exit_code = record.outcome.exit_code;
  if (record.outcome.signal) out.program.signal = record.outcome.signal;
  out.program.is_running = !record.outcome.has_ended && !record.outcome.is_end_unseen;
  out.program.is_end_unseen = record.outcome.is_end_unseen;
  out.program.processes = static_cast<int>(record.ledgers.size());
  out.processes = process_figures(record);
  find_roles(out.processes, record.outcome.main_pid);
  out.joint_peak = joint_peak(record);
  out.resident_peak_bytes = record.outcome.resident_peak;
  out.cost = own_cost(record, record.outcome.own);
  if (record.outcome.settings.is_attached)
    out.losses[code(OtherLoss::attached)] = sentence("loss.attached");
  for (const std::string& trouble : record.outcome.troubles)
    out.losses.try_emplace(code(OtherLoss::recording), trouble);
  for (const std::string& sentence : record.unreadable)
    out.losses.try_emplace(code(OtherLoss::unreadable), sentence);
  return out;
}

// Each by itself first, then by what the others show of the same lines.
std::vector<std::unique_ptr<JudgedProcess>> judge_processes(const record::Record& record,
                                                            const std::string& steps,
                                                            bool is_from_first_step) {
  std::vector<std::unique_ptr<JudgedProcess>> processes;
  std::vector<GrowthJudgements*> growths;
  for (const auto& [index, ledger] : record.ledgers) {
    auto process =
        std::make_unique<JudgedProcess>(record, index, ledger, steps, is_from_first_step);
    process->result = run_stages(process->run);
    growths.push_back(&process->result.growth);
    processes.push_back(std::move(process));
  }
  join_siblings(growths);
  return processes;
}

Page page_of_all(const std::vector<std::unique_ptr<JudgedProcess>>& processes, int main,
                 const std::vector<record::ProcessLooks>& looks) {
  std::vector<PageProcess> shown;
  for (const auto& process : processes)
    shown.push_back(page_process(process->run, process->result.growth.lines, looks,
                                 process->run.index == main));
  return page_of(std::move(shown));
}

// `alone`: where it is told by itself, too; nullptr: nowhere.
void add_process(JudgedProcess& process, bool is_main, const Accepted& accepted,
                 JoinedProcesses& joined, Findings& out, Balance& balance, ProcessResults* alone) {
  const ledger::Reader& ledger = process.frames.ledger();
  const GrowthJudgements& growth = process.result.growth;
  const bool grows = has_leak(growth);
  add_to_balance(process.result, accepted, balance);
  const Cells cells(ledger);
  const size_t before = out.considered.size();
  add_considered(growth.lines, out.considered);
  for (size_t i = before; i < out.considered.size(); ++i) cells.name(out.considered[i]);
  out.balance.push_back(line_balance(process.frames, growth.lines));
  std::vector<Finding> found = findings_of(process.run, std::move(process.result));
  const bool leaks = has_leak_beside(accepted, grows, found);
  balance.has_leak |= leaks;
  for (ProcessFigures& figures : out.processes)
    figures.has_leak |= leaks && figures.pid == ledger.header().pid;
  if (alone) {
    alone->findings = found;
    alone->considered.assign(out.considered.begin() + static_cast<std::ptrdiff_t>(before),
                             out.considered.end());
    alone->leaks = leaks;
  }
  joined.add(std::move(found), lifetime_of(ledger, process.run.outcome()), ledger.header().pid);
  add_losses(ledger, out.losses);
  add_unseen(process.run, out, balance);
  add_lost_codes(snapshots_of(process.run.record, process.run.index), out.losses);
  add_program(ledger, is_main, out);
  if (!is_main) return;
  const size_t joined_before = out.findings.size();
  add_main_process(process.run, out, balance);
  if (!alone) return;
  const auto deaths = out.findings.begin() + static_cast<std::ptrdiff_t>(joined_before);
  alone->findings.insert(alone->findings.end(), deaths, out.findings.end());
}

std::vector<ProcessResults> results_of_all(
    const std::vector<std::unique_ptr<JudgedProcess>>& processes, int main) {
  std::vector<ProcessResults> results;
  for (const auto& process : processes) {
    ProcessResults& alone = results.emplace_back();
    alone.index = process->run.index;
    alone.page = page_process(process->run, process->result.growth.lines, {}, alone.index == main,
                              PageDetail::all_alike);
  }
  return results;
}

// `each`: is filled with what each process came to, if it is asked for.
Findings judge_all(const record::Record& record, const JudgeOptions& options, Page* page,
                   std::vector<ProcessResults>* each) {
  Findings out = about_run(record);
  std::optional<int> main = main_process(record);
  if (!main) {
    out.reason = why_nothing_was_seen(record);
    out.ending = ending_sentence(record.outcome);
    return out;
  }
  Balance balance;
  JoinedProcesses joined;
  const Accepted accepted(record.outcome.settings.ignore);
  const std::string& steps = options.steps.empty() ? record.outcome.settings.steps : options.steps;
  const auto processes = judge_processes(record, steps, options.is_from_first_step);
  if (page) {
    *page = page_of_all(processes, *main, page->looks);
    page->scopes = scope_rows(record);
  }
  if (each) *each = results_of_all(processes, *main);
  for (size_t i = 0; i < processes.size(); ++i)
    add_process(*processes[i], processes[i]->run.index == *main, accepted, joined, out, balance,
                each ? &(*each)[i] : nullptr);
  std::vector<Finding> found = joined.take();
  for (Finding& finding : found) tell_when_full(record.outcome.available_at_end, finding);
  std::move(found.begin(), found.end(), std::back_inserter(out.findings));
  for (const std::string& problem : record.symbols->problems()) {
    if (!is_system_path(problem) && !is_of_package(problem))
      out.losses.try_emplace(code(OtherLoss::symbols), problem);
  }
  sort_findings(out);
  raise_peak(out);
  bool was_cut_off = record.outcome.signal != 0 || !record.outcome.has_ended;
  if (was_cut_off) balance.cut_off = why_too_early(record.outcome);
  balance.steps = out.steps;
  if (!record.has_symbols) balance.no_symbols = sentence("unknown.no_symbols");
  Decision decision = decide(balance);
  out.verdict = decision.verdict;
  out.reason = decision.reason;
  return out;
}

}  // namespace

Findings judge(const record::Record& record, const JudgeOptions& options, Page* page) {
  return judge_all(record, options, page, nullptr);
}

Findings judge_each(const record::Record& record, std::vector<ProcessResults>& processes) {
  return judge_all(record, {}, nullptr, &processes);
}

std::optional<HolderSummary> biggest_holders(const record::Record& record,
                                             const HolderOptions& options) {
  std::optional<int> index = process_of(record, options.pid);
  if (!index) return std::nullopt;
  return holders_in(record, *index).summary(options.most, options.is_newest);
}

std::optional<BlockPath> path_to(const record::Record& record, BlockId block, int pid) {
  std::optional<int> index = process_of(record, pid);
  if (!index || block.snapshot > snapshots_of(record, *index).size()) return std::nullopt;
  const ledger::Snapshot& snapshot = snapshots_of(record, *index)[block.snapshot - 1];
  if (block.buffer >= snapshot.buffers().size()) return std::nullopt;
  BlockPath path = path_to_block(HeapGraph(snapshot), block.buffer, main_file_of(record, *index));
  auto ledger = record.ledgers.find(*index);
  SiteId site = snapshot.buffers()[block.buffer].site;
  if (ledger == record.ledgers.end() || site.value >= ledger->second.sites().size()) return path;
  Frames frames(ledger->second, *record.symbols);
  if (const ReadableFrame* frame = frames.user_frame(ledger->second.sites()[site.value].stack))
    path.made = place_of(*frame, PlaceRole::made_at);
  return path;
}

}  // namespace tenure::analyze
