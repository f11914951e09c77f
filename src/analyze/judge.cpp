#include "analyze/judge.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>

#include "analyze/causes.h"
#include "analyze/copy_on_write.h"
#include "analyze/death.h"
#include "analyze/describe.h"
#include "analyze/figures.h"
#include "analyze/garbage.h"
#include "analyze/growth.h"
#include "analyze/joined_processes.h"
#include "analyze/lifetime.h"
#include "analyze/memory_parts.h"
#include "base/source_path.h"
#include "base/whole.h"

namespace tenure::analyze {
namespace {

using ledger::Loss;

const char* loss_name(Loss loss) {
  switch (loss) {
    case Loss::table_full:
      return "table_full";
    case Loss::untracked_birth:
      return "untracked_births";
    case Loss::stack_truncated:
      return "truncated_stacks";
    case Loss::process_not_joined:
      return "processes_not_joined";
    case Loss::unmatched_end:
      return "unmatched_ends";
    case Loss::page_refused:
      return "refused_pages";
    case Loss::fork_unseen:
      return "forks_unseen";
    case Loss::site_coarsened:
      return "coarse_sites";
    case Loss::kCount:
      break;
  }
  return "other";
}

std::string loss_sentence(Loss loss, uint64_t n) {
  switch (loss) {
    case Loss::table_full:
      return fmt::format("{} new things were counted under `other`: a table of the ledger was full",
                         n);
    case Loss::untracked_birth:
      return fmt::format(
          "{} blocks were not counted: made in a signal handler or without memory for their entry",
          n);
    case Loss::stack_truncated:
      return fmt::format("{} stacks were deeper than Tenure reads", n);
    case Loss::process_not_joined:
      return fmt::format("{} processes could not reach Tenure", n);
    case Loss::unmatched_end:
      return fmt::format("{} frees came from signal handlers and were not counted", n);
    case Loss::page_refused:
      return fmt::format("the system refused {} pages of the ledger", n);
    case Loss::fork_unseen:
      return fmt::format("{} forks were noticed late", n);
    case Loss::site_coarsened:
      return "very many stacks made memory: those that came late are known by the user's line only";
    case Loss::kCount:
      break;
  }
  return "";
}

void add_losses(const ledger::Reader& ledger, Findings& out) {
  const ledger::Header& h = ledger.header();
  for (uint32_t i = 0; i < ledger::kLossCount; ++i) {
    uint64_t n = h.losses[i].load();
    if (n) out.losses[loss_name(static_cast<Loss>(i))] = loss_sentence(static_cast<Loss>(i), n);
  }
  if (h.exact_threshold) {
    out.losses["sampling"] =
        fmt::format("blocks under {} bytes are estimated from one sample in {} bytes",
                    h.exact_threshold, h.sample_mean);
  }
  if (ledger.fact("guard") == "on" && !ledger.fact("python").empty()) {
    out.losses["guard.python"] =
        "Python keeps its objects of up to 512 bytes in pools of its own; they are not guarded";
  }
  for (const ledger::Fact& fact : ledger.facts()) {
    std::string_view key = ledger.string(fact.key), value = ledger.fact(key);
    bool is_part = key == "adapters" || key == "python_frames" || key == "snapshots" ||
                   key == "territory" || key == "guard" || key == "sandbox" ||
                   key.starts_with("adapter.");
    if (is_part && value.starts_with("off")) out.losses[std::string(key)] = std::string(value);
    if (key.starts_with("guard.")) out.losses[std::string(key)] = std::string(value);
  }
}

// The program has a malloc of its own and no block came to ours: "off: ..." or empty.
std::string_view heap_off(const ledger::Reader& ledger) {
  for (const ledger::Site& site : ledger.sites()) {
    bool is_heap = site.kind == static_cast<uint8_t>(ledger::BlockKind::heap) ||
                   site.kind == static_cast<uint8_t>(ledger::BlockKind::small_heap);
    if (is_heap && site.births > 0) return "";
  }
  return ledger.fact("heap");
}

void add_program(const Record& record, const ledger::Reader& ledger, bool is_main, Findings& out) {
  if (is_main || out.program.python.empty()) out.program.python = ledger.fact("python");
  out.program.is_guarded |= ledger.fact("guard") == "on";
  for (const ledger::Fact& fact : ledger.facts()) {
    std::string_view key = ledger.string(fact.key);
    if (key.rfind("framework.", 0) == 0)
      out.program.frameworks[std::string(key.substr(10))] = ledger.string(fact.value);
  }
  if (out.program.arguments.empty()) {
    std::string all(ledger.string(ledger.header().arguments));
    for (size_t at = 0; at < all.size();) {
      size_t end = std::min(all.find('\0', at), all.size());
      out.program.arguments.push_back(all.substr(at, end - at));
      at = end + 1;
    }
  }
  (void)record;
}

void add_main_figures(const Record& record, int index, const Units& units, Findings& out) {
  const ledger::Reader& ledger = record.ledgers.at(index);
  const ledger::Header& h = ledger.header();
  out.peak_bytes = h.peak_bytes.load();
  out.live_bytes = h.live_bytes.load();
  out.parts = memory_parts(ledger, record.outcome.processes[static_cast<size_t>(index)]);
  out.own_bytes = h.own_bytes.load();
  if (record.outcome.seconds > 0)
    out.own_time_share = static_cast<double>(h.hook_ns.load()) * 1e-9 / record.outcome.seconds;
  if (auto unit = units.main_unit()) {
    out.steps = unit->steps;
    out.per = unit->per;
    out.peak_step = whole(std::ceil(unit->count_at(h.peak_tick.load())));
  }
}

int rank(const Finding& f) { return static_cast<int>(f.severity); }

void sort_findings(Findings& out) {
  std::stable_sort(out.findings.begin(), out.findings.end(),
                   [](const Finding& a, const Finding& b) {
                     return rank(a) != rank(b) ? rank(a) < rank(b) : a.bytes > b.bytes;
                   });
  // Warnings and notes are few, or they are noise.
  size_t quiet = 0;
  std::erase_if(out.findings, [&](const Finding& f) {
    return rank(f) >= rank({.severity = Severity::warning}) && ++quiet > 3;
  });
}

std::string why_nothing_was_seen(const Record& record) {
  if (!record.outcome.not_seen.empty()) return record.outcome.not_seen;
  if (!record.unreadable.empty()) return record.unreadable.front();
  bool has_joined = std::any_of(record.outcome.processes.begin(), record.outcome.processes.end(),
                                [](const ProcessOutcome& process) { return !process.has_begun; });
  if (has_joined) return "it ended before Tenure's library had begun";
  return "Tenure's library did not get into the program; `tenure doctor` says what this machine "
         "allows";
}

struct Judged {
  bool has_leak = false;
  bool has_error = false;  // a lifetime error
  std::string too_short;   // what grows over too few steps
  std::string never_ran;
  std::string heap_off;
  JoinedProcesses findings;
  std::shared_ptr<symbolize::Symbolizer> symbols = std::make_shared<symbolize::Symbolizer>();
};

Holders holders_in(const Record& record, int index) {
  static const std::vector<ledger::Snapshot> kNone;
  auto found = record.snapshots.find(index);
  return {found == record.snapshots.end() ? kNone : found->second,
          main_file_of(record.outcome.arguments)};
}

void judge_process(const Record& record, int index, bool is_main, const JudgeOptions& options,
                   Findings& out, Judged& judged) {
  Frames frames(record.ledgers.at(index), judged.symbols);
  Units units(frames, options.steps);
  Holders holders = holders_in(record, index);
  Causes causes(frames);
  causes.leave(holders.kept_by_program(causes.claimed()));
  std::vector<ExplainedGrowth> growths =
      explain_growths(find_growth(frames, units, causes), holders);
  for (const auto& [growth, held] : growths) {
    if (growth.what != GrowthClass::too_short || !judged.too_short.empty()) continue;
    judged.too_short = fmt::format(
        "memory grew by {} bytes over only {} steps ({}): too few to tell; let it run longer",
        growth.bytes, growth.steps, growth.per);
  }
  std::vector<Finding> found = describe_growth(frames, std::move(growths), holders.grown_type());
  if (auto garbage = find_waiting_garbage(frames, units, holders, found))
    found.push_back(std::move(*garbage));
  if (auto copied = find_copy_on_write(record, index, frames, units))
    found.push_back(std::move(*copied));
  for (Finding& story : describe_stories(frames)) found.push_back(std::move(story));
  for (Finding& wait : describe_waits(frames)) found.push_back(std::move(wait));
  for (const Finding& finding : found) {
    judged.has_leak |= finding.severity == Severity::leak;
    judged.has_error |= finding.severity == Severity::error;
  }
  judged.findings.add(std::move(found));
  add_losses(frames.ledger(), out);
  add_program(record, frames.ledger(), is_main, out);
  if (!is_main) return;
  add_main_figures(record, index, units, out);
  out.at_peak = roles_at_peak(frames);
  if (auto death = out_of_memory(frames, record.outcome)) out.findings.push_back(std::move(*death));
  out.ending = ending_sentence(frames, record.outcome);
  judged.never_ran = never_ran(frames.ledger());
  if (std::string_view off = heap_off(frames.ledger()); !off.empty()) {
    out.losses["heap"] = std::string(off);
    judged.heap_off = "the program brings its own malloc, so its heap was not seen";
  }
  for (const std::string& problem : frames.symbolizer().problems()) {
    if (!is_system_path(problem) && !is_of_package(problem))
      out.losses.try_emplace("symbols", problem);
  }
}

const char* why_too_early(const RunOutcome& outcome) {
  if (outcome.is_end_unseen) return "its end was not seen, and too few steps were seen before";
  return outcome.has_ended ? "it was killed before it could show whether memory grows"
                           : "it is still running, and too few steps were seen yet";
}

void decide(const Record& record, const Judged& judged, Findings& out) {
  bool was_killed = record.outcome.signal != 0 || !record.outcome.has_ended;
  bool has_death = std::any_of(out.findings.begin(), out.findings.end(),
                               [](const Finding& f) { return f.kind == "out-of-memory"; });
  if (has_death) {
    out.verdict = Verdict::out_of_memory;
  } else if (judged.has_error) {
    out.verdict = Verdict::lifetime_error;
  } else if (judged.has_leak) {
    out.verdict = Verdict::leak;
  } else if (!judged.never_ran.empty()) {
    out.verdict = Verdict::unknown;
    out.reason = judged.never_ran;
  } else if (!judged.heap_off.empty()) {
    out.verdict = Verdict::unknown;
    out.reason = judged.heap_off;
  } else if (!judged.too_short.empty()) {
    out.verdict = Verdict::unknown;
    out.reason = judged.too_short;
  } else if (was_killed && out.steps < 8) {
    out.verdict = Verdict::unknown;
    out.reason = why_too_early(record.outcome);
  } else {
    out.verdict = Verdict::clean;
  }
}

// Position in the record; `pid` 0: the main process.
std::optional<int> process_of(const Record& record, int pid) {
  if (pid == 0) return main_process(record);
  const auto& processes = record.outcome.processes;
  for (size_t i = processes.size(); i-- > 0;) {
    if (processes[i].pid == pid) return static_cast<int>(i);
  }
  return std::nullopt;
}

}  // namespace

Findings judge(const Record& record, const JudgeOptions& options) {
  Findings out;
  out.program.arguments = record.outcome.arguments;
  out.program.exit_code = record.outcome.exit_code;
  if (record.outcome.signal) out.program.signal = record.outcome.signal;
  out.program.is_running = !record.outcome.has_ended && !record.outcome.is_end_unseen;
  out.program.is_end_unseen = record.outcome.is_end_unseen;
  out.program.processes = static_cast<int>(record.ledgers.size());
  out.resident_peak_bytes = record.outcome.resident_peak;
  for (const std::string& trouble : record.outcome.troubles)
    out.losses.try_emplace("recording", trouble);
  for (const std::string& sentence : record.unreadable)
    out.losses.try_emplace("unreadable", sentence);
  std::optional<int> main = main_process(record);
  if (!main) {
    out.reason = why_nothing_was_seen(record);
    out.ending = ending_sentence(record.outcome);
    return out;
  }
  Judged judged;
  for (const auto& [index, ledger] : record.ledgers)
    judge_process(record, index, index == *main, options, out, judged);
  std::vector<Finding> growths = judged.findings.take();
  std::move(growths.begin(), growths.end(), std::back_inserter(out.findings));
  sort_findings(out);
  decide(record, judged, out);
  return out;
}

std::string main_file_of(const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    std::filesystem::path path(argument);
    if (path.extension() == ".py") return path.filename().string();
  }
  return "";
}

std::optional<HolderSummary> biggest_holders(const Record& record, const HolderOptions& options) {
  std::optional<int> index = process_of(record, options.pid);
  if (!index) return std::nullopt;
  return holders_in(record, *index).summary(options.most, options.is_newest);
}

std::optional<BlockPath> path_to(const Record& record, BlockId block, int pid) {
  std::optional<int> index = process_of(record, pid);
  auto found = index ? record.snapshots.find(*index) : record.snapshots.end();
  if (found == record.snapshots.end() || block.snapshot > found->second.size()) return std::nullopt;
  const ledger::Snapshot& snapshot = found->second[block.snapshot - 1];
  if (block.buffer >= snapshot.buffers().size()) return std::nullopt;
  BlockPath path =
      path_to_block(HeapGraph(snapshot), block.buffer, main_file_of(record.outcome.arguments));
  auto ledger = record.ledgers.find(*index);
  SiteId site = snapshot.buffers()[block.buffer].site;
  if (ledger == record.ledgers.end() || site.value >= ledger->second.sites().size()) return path;
  Frames frames(ledger->second);
  if (const ReadableFrame* frame = frames.user_frame(ledger->second.sites()[site.value].stack))
    path.made = place_of(*frame, "made at");
  return path;
}

}  // namespace tenure::analyze
