// cli/main.cpp: `tenure VERB ...`: reads the command line and calls the verb. Usage errors end with 2 and one line.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "base/version.h"
#include "cli/command_line.h"
#include "cli/verbs.h"

namespace {

using namespace tenure::cli;

// CLI11 cannot hand on `run [options] -- PROGRAM ARGS`; from the dashes on it is cut off first.
std::vector<std::string> cut_at_dashes(std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments[0] != "run") return {};
  auto dashes = std::find(arguments.begin(), arguments.end(), "--");
  std::vector<std::string> cut(dashes, arguments.end());
  arguments.erase(dashes, arguments.end());
  return cut;
}

// The program as it was typed. Dashes behind its name are its own.
std::vector<std::string> program_of(const CLI::App& verb, const std::vector<std::string>& cut) {
  std::vector<std::string> program = verb.remaining();
  if (!program.empty() && program[0].starts_with("-")) throw CLI::ExtrasError("run", {program[0]});
  program.insert(program.end(), cut.begin() + (program.empty() && !cut.empty() ? 1 : 0), cut.end());
  return program;
}

// CLI11 only says that a subcommand is required. Empty: the first argument is a verb, or an option of ours.
std::string verb_error(const CLI::App& app, const std::vector<std::string>& arguments) {
  if (!arguments.empty() && arguments[0].starts_with("-")) return {};
  std::string verbs;
  for (const CLI::App* verb : app.get_subcommands({})) {
    if (!arguments.empty() && verb->get_name() == arguments[0]) return {};
    verbs += (verbs.empty() ? "" : ", ") + verb->get_name();
  }
  if (arguments.empty()) return "no verb was given; there are " + verbs;
  return "there is no verb `" + arguments[0] + "`; there are " + verbs;
}

OptionText text_of(const CLI::Option& option) {
  OptionText text;
  for (const std::string& name : option.get_snames()) text.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) text.names.push_back("--" + name);
  if (text.names.empty()) text.place = option.get_name();
  text.description = option.get_description();
  text.takes_value = option.get_items_expected_max() > 0;
  return text;
}

// Without what is hidden: options in no group.
std::vector<OptionText> option_texts(const CLI::App& app) {
  std::vector<OptionText> texts;
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_group().empty()) texts.push_back(text_of(*option));
  }
  return texts;
}

CommandLine command_line_of(const CLI::App& app) {
  CommandLine line{app.get_description(), tenure::version_words(), option_texts(app), {}};
  for (const CLI::App* verb : app.get_subcommands({})) {
    line.verbs.push_back({verb->get_name(), verb->get_description(), option_texts(*verb),
                          verb->get_prefix_command()});
  }
  return line;
}

int usage_error(const CLI::Error& error) {
  std::string text = error.what();
  for (char& c : text) {
    if (c == '\n') c = ' ';
  }
  std::fprintf(stderr, "tenure: %s. Try: tenure --help\n", text.c_str());
  return 2;
}

// Of `check` and of `run --check`; the latter needs the flag.
void add_limits(CLI::App& verb, CheckOptions& options, CLI::Option* needed) {
  std::vector<CLI::Option*> added = {
      verb.add_option("--max-growth", options.max_growth,
                      "bytes that one cause may grow by every step, e.g. 0B/step"),
      verb.add_option("--max-peak", options.max_peak,
                      "bytes live at once in one process, e.g. 2GiB"),
      verb.add_option("--max-accumulated", options.max_accumulated,
                      "bytes that one cause that grows may come to hold"),
      verb.add_flag("--no-lifetime-errors", options.forbids_lifetime_errors,
                    "no use of anything after its end"),
      verb.add_option("--baseline", options.baseline,
                      "leaks and errors that are accepted at their figures, a file"),
      verb.add_flag("--update-baseline", options.updates_baseline,
                    "write what is there now into the file of --baseline"),
      verb.add_flag("--unknown-is-ok", options.is_unknown_ok,
                    "exit with 0 where nothing can be told, not with 2"),
      verb.add_option("--format", options.format, "text, github, sarif or junit")};
  for (CLI::Option* option : added) {
    if (needed) option->needs(needed);
  }
}

CLI::App* add_kernel(CLI::App& app, KernelOptions& options) {
  CLI::App* verb =
      app.add_subcommand("kernel", "a kernel for Jupyter whose notebooks run under Tenure");
  verb->add_option("action", options.action, "install or remove")
      ->required()
      ->check(CLI::IsMember({"install", "remove"}));
  verb->add_option("--name", options.name, "what Jupyter's own commands call it (default: tenure)");
  verb->add_option("--display-name", options.display_name,
                   "what Jupyter shows (default: Python under Tenure)");
  verb->add_option("--python", options.python, "the interpreter (default: python on PATH)");
  verb->add_option("--prefix", options.prefix,
                   "the folder above share/jupyter (default: the user's own folder)");
  verb->add_flag("--sys-prefix", options.is_beside_interpreter,
                 "the environment of the interpreter instead");
  verb->add_flag("--keep-record", options.keeps_record,
                 "report at the end of each kernel and keep its record in the notebook's folder");
  verb->add_flag("!--no-source", options.keeps_source, "keep no text of cells in the record");
  return verb;
}

int tenure_main(std::vector<std::string> arguments) {
  std::vector<std::string> cut = cut_at_dashes(arguments);

  CLI::App app{"Tenure tells who holds each tensor, since when, and why."};
  app.set_version_flag("--version", tenure::version_words());
  app.require_subcommand(0, 1);
  std::string form;
  app.add_option("--print-for", form,
                 "for packages: what bash, zsh, fish or man are told of all this")
      ->group("");

  RunOptions run_options;
  CLI::App* run_verb = app.add_subcommand("run", "run a program and say what its memory did");
  run_verb->prefix_command();
  run_verb->add_option(
      "-o", run_options.directory,
      "where to keep the record (default: PROGRAM.tenure; the one before becomes .old)");
  run_verb->add_option("--json", run_options.json,
                       "write the findings to this file; - is standard output");
  run_verb->add_flag("--quiet", run_options.is_quiet,
                     "say nothing and keep no record when all is well");
  run_verb->add_flag("--no-report", run_options.has_no_report,
                     "say nothing and keep no record when the program ends by itself");
  run_verb->add_flag(
      "--observe", run_options.is_observing,
      "account, but leave every block with libc: the program as it is without Tenure's heap");
  run_verb->add_flag("--guard", run_options.is_guarding,
                     "stop at the first use of a freed block, or beyond a block's end; slower");
  run_verb->add_flag("--small-arrays", run_options.counts_small_arrays,
                     "count NumPy arrays below 1 KiB one by one; each then takes 1 KiB");
  run_verb->add_flag("!--no-source", run_options.keeps_source,
                     "keep no line of the program's source text in the record");
  run_verb->add_option("--steps", run_options.steps,
                       "the unit of growth: auto, none, or the name of a series");

  CheckOptions run_check;
  bool is_checked = false;
  CLI::Option* has_check = run_verb->add_flag(
      "--check", is_checked, "exit with 1 where the program leaks, or is beyond the limits below");
  add_limits(*run_verb, run_check, has_check);
  run_verb
      ->add_option("--check-output", run_check.output, "write the result of --check to this file")
      ->needs(has_check);
  run_verb->add_flag("--report", run_options.has_page,
                     "write the report page into the record at the end; see the verb report");

  ShowOptions show_options;
  CLI::App* show_verb = app.add_subcommand(
      "show", "tell again what a record says; also of a running or killed program");
  show_verb->add_option("record", show_options.directory, "the record, a directory")->required();
  show_verb->add_option("--json", show_options.json,
                        "write the findings to this file; - is standard output, without a report");
  show_verb->add_option("--figures", show_options.figures,
                        "write every site and every loop with its figures to this file, as JSON");
  show_verb->add_option("--steps", show_options.steps,
                        "another unit of growth than the run was asked for; see run --steps");
  show_verb->add_option("--process", show_options.process,
                        "judge only this process of the run, by its id; with --steps only what was "
                        "made since the first of them");
  show_verb->add_option("--since", show_options.since,
                        "instead: what was made in the stretch that was marked so, and is still "
                        "there; a cell of a notebook is marked, as In[3]");
  show_verb->add_flag("--sites", show_options.has_sites,
                      "list the sites that held most at the peak");

  show_verb->add_flag("--loops", show_options.has_loops,
                      "list the loops and steps that were seen to repeat");
  show_verb->add_flag("--holders", show_options.has_holders,
                      "list who held most, as the snapshots show it");
  show_verb->add_flag("--scopes", show_options.has_scopes,
                      "list sessions, graphs and functions: how many, how full, in which state");
  CLI::Option* why = show_verb->add_option(
      "--why", show_options.why,
      "list every line that made memory, what it came to and by which rule; or only FILE:LINE");
  why->expected(0, 1)->type_name("FILE:LINE");
  show_verb->add_flag("--processes", show_options.has_processes,
                      "list the processes: when each was there, what it held, whether it leaks");
  show_verb->add_option("--path", show_options.path,
                        "one way from a name to this block, e.g. b3.17 of --holders");
  show_verb->add_flag(
      "--now", show_options.is_now,
      "ask the running program for a snapshot first; the record may be a process id");

  LiveOptions live_options;
  CLI::App* live_verb = app.add_subcommand("live", "watch a running program in the terminal");
  live_verb->add_option("record", live_options.record,
                        "a record or the id of a process (default: what was started last in this "
                        "folder or below it, and runs)");
  live_verb->add_flag("--once", live_options.is_once,
                      "print one frame as plain text, as without a terminal");
  CheckOptions check_options;
  CLI::App* check_verb =
      app.add_subcommand("check", "whether runs keep to limits: 0 within, 1 beyond, 2 cannot tell");
  check_verb->add_option("records", check_options.records, "the records, directories")->required();
  add_limits(*check_verb, check_options, nullptr);
  check_verb->add_option("-o", check_options.output, "write it to this file");

  DiffOptions diff_options;
  CLI::App* diff_verb =
      app.add_subcommand("diff", "what two runs differ in: what grew, what is new, what is fixed");
  diff_verb->add_option("before", diff_options.before, "the earlier record, a directory")
      ->required();
  diff_verb->add_option("after", diff_options.after, "the later record, a directory")->required();
  diff_verb->add_option(
      "--json", diff_options.json,
      "write the comparison to this file; - is standard output, without the text");

  ExportOptions export_options;
  CLI::App* export_verb = app.add_subcommand("export", "a record in the formats of other tools");
  export_verb->add_option("record", export_options.directory, "the record, a directory")
      ->required();
  export_verb
      ->add_option("--format", export_options.format,
                   "pprof, speedscope, collapsed, trace, csv or sarif")
      ->required();
  export_verb->add_option("--figure", export_options.figure,
                          "of stacks, what was there: at the peak (peak), at the end (live), ever "
                          "(total)");
  export_verb->add_option("-o", export_options.output,
                          "write it to this file (default: standard output)");

  ReportOptions report_options;
  CLI::App* report_verb =
      app.add_subcommand("report", "write a page to look at: one HTML file that needs no network");
  report_verb->add_option("record", report_options.directory, "the record, a directory")
      ->required();
  report_verb->add_option("-o", report_options.output,
                          "the file to write (default: report.html in the record)");

  DoctorOptions doctor_options;
  CLI::App* doctor_verb =
      app.add_subcommand("doctor", "what this machine, this Python and these frameworks allow");
  doctor_verb->add_option("--python", doctor_options.python,
                          "the interpreter to ask (default: python on PATH)");

  KernelOptions kernel_options;
  CLI::App* kernel_verb = add_kernel(app, kernel_options);

  if (std::string error = verb_error(app, arguments); !error.empty()) {
    std::fprintf(stderr, "tenure: %s. Try: tenure --help\n", error.c_str());
    return 2;
  }
  try {
    std::reverse(arguments.begin(), arguments.end());
    app.parse(arguments);
    run_options.program = program_of(*run_verb, cut);
    if (is_checked) run_options.check = run_check;
    show_options.has_why = why->count() > 0;
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::Error& error) {
    return usage_error(error);
  }
  if (!form.empty()) {
    const std::string text = told_as(form, command_line_of(app));
    std::fputs(text.c_str(), stdout);
    return text.empty() ? 2 : 0;
  }
  if (*run_verb) return run(run_options);
  if (*show_verb) return show(show_options);
  if (*live_verb) return live(live_options);
  if (*check_verb) return check(check_options);
  if (*diff_verb) return diff(diff_options);
  if (*export_verb) return export_record(export_options);
  if (*report_verb) return report_page(report_options);
  if (*doctor_verb) return doctor(doctor_options);
  if (*kernel_verb) return kernel(kernel_options);
  return usage_error(CLI::RequiredError("A verb"));
}

}  // namespace

int main(int argc, char** argv) try {
  return tenure_main({argv + 1, argv + argc});
} catch (
    const std::exception& error) {  // out of memory, a disk that fails: nothing the verbs foresaw
  std::fprintf(stderr, "tenure: %s\n", error.what());
  return 2;
}
