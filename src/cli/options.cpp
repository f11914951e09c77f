#include "cli/options.h"

#include "base/version.h"
#include "cli/settings.h"

namespace tenure::cli {
namespace {

constexpr char kRunning[] = "Run a program";
constexpr char kReading[] = "Read what was recorded";
constexpr char kMachine[] = "Set up";

// Headings of options.
constexpr char kPlaces[] = "Arguments";
constexpr char kTold[] = "What is told, and where";
constexpr char kWatched[] = "How it watches";
constexpr char kLimits[] = "Limits";
constexpr char kLists[] = "Lists instead of the report";

CLI::App* add_verb(CLI::App& app, const char* name, const char* description, const char* group) {
  CLI::App* verb = app.add_subcommand(name, description);
  verb->group(group);
  return verb;
}

CLI::Option* place(CLI::App* verb, const char* name, std::string& value, const char* description) {
  return verb->add_option(name, value, description)->group(kPlaces);
}

// Of `check` and of `run --check`; the latter needs the flag.
void add_limits(CLI::App& verb, CheckOptions& options, CLI::Option* needed) {
  std::vector<CLI::Option*> added = {
      verb.add_option("--max-growth", options.max_growth,
                      "bytes that one cause may grow by every step, e.g. 0B/step")
          ->type_name("BYTES"),
      verb.add_option("--max-peak", options.max_peak,
                      "bytes live at once in one process, e.g. 2GiB")
          ->type_name("BYTES"),
      verb.add_option("--max-accumulated", options.max_accumulated,
                      "bytes that one cause that grows may come to hold")
          ->type_name("BYTES"),
      verb.add_flag("--no-lifetime-errors", options.forbids_lifetime_errors,
                    "no use of anything after its end"),
      verb.add_option("--baseline", options.baseline,
                      "leaks and errors that are accepted at their figures")
          ->type_name("FILE"),
      verb.add_flag("--update-baseline", options.updates_baseline,
                    "write what is there now into the file of --baseline"),
      verb.add_flag("--unknown-is-ok", options.is_unknown_ok,
                    "exit with 0 where nothing can be told, not with 2"),
      verb.add_option("--format", options.format, "text, github, sarif or junit")
          ->type_name("NAME")};
  for (CLI::Option* option : added) {
    option->group(kLimits);
    if (needed) option->needs(needed);
  }
}

void add_run_output(CLI::App& verb, RunOptions& options) {
  verb.add_option("-o", options.directory,
                  "where to keep the record (default: PROGRAM.tenure; the one before becomes .old)")
      ->type_name("FOLDER")
      ->group(kTold);
  verb.add_option("--json", options.json, "write the findings to this file; - is standard output")
      ->type_name("FILE")
      ->group(kTold);
  verb.add_flag("--report", options.has_page,
                "write the report page into the record at the end; see the verb report")
      ->group(kTold);
  verb.add_flag("--live", options.is_live,
                "show the program's memory while it runs; what it prints goes to output.txt in the "
                "record")
      ->group(kTold);
  verb.add_option("--steps", options.steps,
                  "the unit of growth: auto, none, or the name of a series")
      ->type_name("NAME")
      ->group(kTold);
  verb.add_option(
          "--ignore", options.ignore,
          "growth that is accepted: a line of the report as train.py:42, or the name of what "
          "keeps it; may be given several times")
      ->type_name("LINE")
      ->allow_extra_args(false)
      ->group(kTold);
  verb.add_option("--metrics", options.metrics,
                  "while it runs: OpenMetrics text in this file, or on this port of 127.0.0.1")
      ->type_name("TARGET")
      ->group(kTold);
  verb.add_flag("--quiet", options.is_quiet, "say nothing and keep no record when all is well")
      ->group(kTold);
  verb.add_flag("--no-report", options.has_no_report,
                "say nothing and keep no record when the program ends by itself")
      ->group(kTold);
  verb.add_flag("--no-source", options.drops_source,
                "keep no line of the program's source text in the record")
      ->group(kTold);
}

void add_run_ways(CLI::App& verb, RunOptions& options) {
  verb.add_flag(
          "--observe", options.is_observing,
          "account, but leave every block with libc: the program as it is without Tenure's heap")
      ->group(kWatched);
  verb.add_flag("--guard", options.is_guarding,
                "stop at the first use of a freed block, or beyond a block's end; slower")
      ->group(kWatched);
  verb.add_flag("--small-arrays", options.counts_small_arrays,
                "count NumPy arrays below 1 KiB one by one; each then takes 1 KiB")
      ->group(kWatched);
}

void add_run(CLI::App& app, Options& options) {
  CLI::App* verb = add_verb(app, "run", "run a program and say what its memory did", kRunning);
  verb->prefix_command();
  add_run_output(*verb, options.run);
  add_run_ways(*verb, options.run);
  CLI::Option* has_check =
      verb->add_flag("--check", options.is_checked,
                     "exit with 1 where the program leaks, or is beyond the limits below");
  has_check->group(kLimits);
  add_limits(*verb, options.run_check, has_check);
  verb->add_option("--check-output", options.run_check.output,
                   "write the result of --check to this file")
      ->type_name("FILE")
      ->group(kLimits)
      ->needs(has_check);
}

void add_show_lists(CLI::App& verb, ShowOptions& options) {
  verb.add_option(
          "--why", options.why,
          "every line that made memory, what it came to and by which rule; or only FILE:LINE")
      ->expected(0, 1)
      ->type_name("[FILE:LINE]")
      ->group(kLists);
  verb.add_flag("--sites", options.has_sites, "the sites that held most at the peak")
      ->group(kLists);
  verb.add_flag("--loops", options.has_loops, "the loops and steps that were seen to repeat")
      ->group(kLists);
  verb.add_flag("--holders", options.has_holders, "who held most, as the snapshots show it")
      ->group(kLists);
  verb.add_option("--path", options.path,
                  "one way from a name to this block, e.g. b3.17 of --holders")
      ->type_name("BLOCK")
      ->group(kLists);
  verb.add_flag("--scopes", options.has_scopes,
                "sessions, graphs and functions: how many, how full, in which state")
      ->group(kLists);
  verb.add_flag("--processes", options.has_processes,
                "the processes: when each was there, what it held, whether it leaks")
      ->group(kLists);
  verb.add_option(
          "--since", options.since,
          "what was made in the stretch that was marked so, and is still there; a cell of a "
          "notebook is marked, as In[3]")
      ->type_name("MARK")
      ->group(kLists);
}

void add_show(CLI::App& app, ShowOptions& options) {
  CLI::App* verb = add_verb(
      app, "show", "tell again what a record says; also of a running or killed program", kReading);
  place(verb, "record", options.directory, "the record, a folder")->required();
  verb->add_option("--json", options.json,
                   "write the findings to this file; - is standard output, without a report")
      ->type_name("FILE")
      ->group(kTold);
  verb->add_option("--figures", options.figures,
                   "write every site and every loop with its figures to this file, as JSON")
      ->type_name("FILE")
      ->group(kTold);
  verb->add_option("--steps", options.steps,
                   "another unit of growth than the run was asked for; see run --steps")
      ->type_name("NAME")
      ->group(kTold);
  verb->add_option("--process", options.process,
                   "judge only this process of the run, by its id; with --steps only what was made "
                   "since the first of them")
      ->type_name("ID")
      ->group(kTold);
  verb->add_flag("--now", options.is_now,
                 "ask the running program for a snapshot first; the record may be a process id")
      ->group(kTold);
  add_show_lists(*verb, options);
}

void add_live(CLI::App& app, LiveOptions& options) {
  CLI::App* verb = add_verb(app, "live", "watch a running program in the terminal", kRunning);
  place(verb, "record", options.record,
        "a record or the id of a process (default: what was started last in this folder or below "
        "it, and runs)");
  verb->add_flag("--once", options.is_once, "print one frame as plain text, as without a terminal")
      ->group(kTold);
  verb->add_option("--metrics", options.metrics,
                   "instead: OpenMetrics text in this file, or on this port of 127.0.0.1; - prints "
                   "it once")
      ->type_name("TARGET")
      ->group(kTold);
}

void add_attach(CLI::App& app, AttachOptions& options) {
  CLI::App* verb = add_verb(
      app, "attach", "watch a program that runs already, and let it go on afterwards", kRunning);
  verb->add_option("pid", options.pid, "the id of its process")->required()->group(kPlaces);
  verb->add_option("--for", options.duration,
                   "how long, as 60s or 5m (default: until Ctrl-C, which the program does not get)")
      ->type_name("TIME")
      ->group(kWatched);
  verb->add_option("--steps", options.steps,
                   "the unit of growth: auto, none, or the name of a series")
      ->type_name("NAME")
      ->group(kWatched);
  verb->add_option("-o", options.directory, "where to keep the record (default: PROGRAM.tenure)")
      ->type_name("FOLDER")
      ->group(kTold);
  verb->add_option("--json", options.json, "write the findings to this file; - is standard output")
      ->type_name("FILE")
      ->group(kTold);
  verb->add_flag("--report", options.has_page, "write the report page into the record at the end")
      ->group(kTold);
  verb->add_flag("!--no-source", options.keeps_source,
                 "keep no line of the program's source text in the record")
      ->group(kTold);
}

void add_watch(CLI::App& app, WatchOptions& options) {
  CLI::App* verb = add_verb(
      app, "watch", "run a command once when the verdict of a running program changes", kRunning);
  place(verb, "record", options.record, "a record or the id of a process")->required();
  verb->add_option("--on", options.verdict,
                   "the verdict that is waited for (default: leak); clean and unknown too")
      ->type_name("VERDICT")
      ->group(kWatched);
  verb->prefix_command();  // the command and its own options come behind
}

void add_check(CLI::App& app, CheckOptions& options) {
  CLI::App* verb = add_verb(
      app, "check", "whether runs keep to limits: 0 within, 1 beyond, 2 cannot tell", kReading);
  verb->add_option("records", options.records, "the records, folders")->required()->group(kPlaces);
  add_limits(*verb, options, nullptr);
  verb->add_option("-o", options.output, "write it to this file")->type_name("FILE")->group(kTold);
}

void add_diff(CLI::App& app, DiffOptions& options) {
  CLI::App* verb = add_verb(
      app, "diff", "what two runs differ in: what grew, what is new, what is fixed", kReading);
  place(verb, "before", options.before, "the earlier record, a folder")->required();
  place(verb, "after", options.after, "the later record, a folder")->required();
  verb->add_option("--json", options.json,
                   "write the comparison to this file; - is standard output, without the text")
      ->type_name("FILE")
      ->group(kTold);
  verb->add_option("-o,--html", options.page,
                   "write it as a page to look at, too: one HTML file that needs no network")
      ->type_name("FILE")
      ->group(kTold);
}

void add_duckdb(CLI::App& verb, std::string& python) {
  verb.add_option("--python", python,
                  "an interpreter that has DuckDB (default: the one of Tenure's environment, else "
                  "python3 on PATH)")
      ->type_name("FILE")
      ->group(kTold);
}

void add_export(CLI::App& app, ExportOptions& options) {
  CLI::App* verb = add_verb(app, "export", "a record in the formats of other tools", kReading);
  verb->add_option("records", options.records, "the record, a folder; of a dataset any number")
      ->required()
      ->group(kPlaces);
  verb->add_option("--format", options.format,
                   "pprof, speedscope, collapsed, trace, csv, sarif or parquet")
      ->type_name("NAME")
      ->group(kTold);
  verb->add_option("--figure", options.figure,
                   "of stacks, what was there: at the peak (peak), at the end (live), ever (total)")
      ->type_name("NAME")
      ->group(kTold);
  verb->add_option("-o", options.output, "write it to this file (default: standard output)")
      ->type_name("FILE")
      ->group(kTold);
  verb->add_option("--parquet", options.dataset,
                   "add the records to the dataset in this folder; the verb sql asks it")
      ->type_name("FOLDER")
      ->group(kTold);
  verb->add_option(
          "--run", options.run,
          "what the records are called together in the dataset (default: by job, else each "
          "by its program and start)")
      ->type_name("NAME")
      ->group(kTold);
  add_duckdb(*verb, options.python);
}

void add_sql(CLI::App& app, SqlOptions& options) {
  CLI::App* verb =
      add_verb(app, "sql", "ask a dataset of many records (export --parquet) in SQL", kReading);
  place(verb, "question", options.question, "a SELECT, or the name of a query of docs/fleet.md")
      ->required();
  place(verb, "dataset", options.dataset, "the dataset, a folder")->required();
  verb->add_option("--format", options.format, "table, csv or json")
      ->type_name("NAME")
      ->group(kTold);
  add_duckdb(*verb, options.python);
}

void add_collect(CLI::App& app, CollectOptions& options) {
  CLI::App* verb =
      add_verb(app, "collect", "gather the records of many hosts from shared storage", kReading);
  verb->add_option("folders", options.folders,
                   "where records are, at any depth; the last one is the folder they go into")
      ->required()
      ->group(kPlaces);
}

void add_report(CLI::App& app, ReportOptions& options) {
  CLI::App* verb = add_verb(
      app, "report", "write a page to look at: one HTML file that needs no network", kReading);
  place(verb, "record", options.directory, "the record, a folder")->required();
  verb->add_option("-o", options.output, "the file to write (default: report.html in the record)")
      ->type_name("FILE")
      ->group(kTold);
}

void add_doctor(CLI::App& app, DoctorOptions& options) {
  CLI::App* verb =
      add_verb(app, "doctor",
               "what this machine, Python and these frameworks allow, and which settings "
               "count",
               kMachine);
  verb->add_option("--python", options.python, "the interpreter to ask (default: python on PATH)")
      ->type_name("PROGRAM")
      ->group(kWatched);
}

void add_kernel(CLI::App& app, KernelOptions& options) {
  CLI::App* verb =
      add_verb(app, "kernel", "a kernel for Jupyter whose notebooks run under Tenure", kMachine);
  place(verb, "action", options.action, "install or remove")
      ->required()
      ->check(CLI::IsMember({"install", "remove"}));
  constexpr char kKernel[] = "The kernel";
  verb->add_option("--name", options.name, "what Jupyter's own commands call it (default: tenure)")
      ->type_name("NAME")
      ->group(kKernel);
  verb->add_option("--display-name", options.display_name,
                   "what Jupyter shows (default: Python under Tenure)")
      ->type_name("TEXT")
      ->group(kKernel);
  verb->add_option("--python", options.python, "the interpreter (default: python on PATH)")
      ->type_name("PROGRAM")
      ->group(kKernel);
  verb->add_option("--prefix", options.prefix,
                   "the folder above share/jupyter (default: the user's own folder)")
      ->type_name("FOLDER")
      ->group(kKernel);
  verb->add_flag("--sys-prefix", options.is_beside_interpreter,
                 "the environment of the interpreter instead")
      ->group(kKernel);
  verb->add_flag("--keep-record", options.keeps_record,
                 "report at the end of each kernel and keep its record in the notebook's folder")
      ->group(kTold);
  verb->add_flag("!--no-source", options.keeps_source, "keep no text of cells in the record")
      ->group(kTold);
}

// One of each purpose, the first of them for `tenure --help`.
std::vector<Example> examples_of(const std::string& verb) {
  if (verb == "run")
    return {{"tenure run train.py", "the verdict, after the program's own output"},
            {"tenure run -- ./server --port 80", "the same for any program, with its own options"},
            {"tenure run --report train.py", "with a page to look at"},
            {"tenure run --guard ./server", "find the first use of a freed block"},
            {"tenure run --check --max-peak 2GiB train.py", "a limit, as in CI"}};
  if (verb == "live") return {{"tenure live", "what was started last in this folder, as it runs"}};
  if (verb == "attach")
    return {{"tenure attach 4711 --for 60s", "a minute of a program that runs already"}};
  if (verb == "watch")
    return {{"tenure watch train.tenure --on leak ./tell.sh", "./tell.sh, as soon as it leaks"}};
  if (verb == "show")
    return {{"tenure show train.tenure", "the verdict again, and where resident memory was"},
            {"tenure show train.tenure --why train.py:42", "what that line came to, and why"},
            {"tenure show train.tenure --holders", "who held most"}};
  if (verb == "check")
    return {{"tenure check train.tenure --max-growth 0B/step", "exit code 1 where a line grows"}};
  if (verb == "diff")
    return {{"tenure diff before.tenure after.tenure", "what is fixed, new or worse"}};
  if (verb == "export")
    return {{"tenure export train.tenure --format pprof -o train.pprof", "for go tool pprof"}};
  if (verb == "sql") return {{"tenure sql leakiest-lines fleet", "over all ranks of all runs"}};
  if (verb == "collect")
    return {{"tenure collect /shared/jobs records", "once each; given again, it goes on"}};
  if (verb == "report")
    return {{"tenure report train.tenure", "train.tenure/report.html, one file"}};
  if (verb == "doctor")
    return {
        {"tenure doctor --python .venv/bin/python", "what works here, and which settings count"}};
  if (verb == "kernel") return {{"tenure kernel install", "for the notebooks of this Python"}};
  return {};
}

OptionText text_of(const CLI::Option& option) {
  OptionText text;
  for (const std::string& name : option.get_snames()) text.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) text.names.push_back("--" + name);
  text.description = option.get_description();
  text.group = option.get_group();
  text.is_required = option.get_required();
  if (option.get_items_expected_max() > 0) text.value = option.get_type_name();
  if (text.names.empty()) {
    const bool takes_several = option.get_items_expected_max() > 1;
    text.place = option.get_name();
    for (char& c : text.place) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    if (takes_several) text.place += "...";
  }
  return text;
}

// Without what is hidden: options in no group.
std::vector<OptionText> option_texts(const CLI::App& app) {
  std::vector<OptionText> texts;
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_group().empty() && option != app.get_help_ptr())
      texts.push_back(text_of(*option));
  }
  if (app.get_help_ptr()) texts.push_back(text_of(*app.get_help_ptr()));
  return texts;
}

}  // namespace

void add_verbs(CLI::App& app, Options& options) {
  app.set_help_flag("-h,--help", "tell this, or the options of a verb")->group("Options");
  app.set_version_flag("--version", version_words(), "version, commit, and what it was built by")
      ->group("Options");
  app.require_subcommand(0, 1);
  app.add_option("--print-for", options.form,
                 "for packages: what bash, zsh, fish, man or docs are told of all this")
      ->group("");
  add_run(app, options);
  add_show(app, options.show);
  add_live(app, options.live);
  add_attach(app, options.attach);
  add_watch(app, options.watch);
  add_report(app, options.report);
  add_check(app, options.check);
  add_diff(app, options.diff);
  add_export(app, options.export_record);
  add_sql(app, options.sql);
  add_collect(app, options.collect);
  add_doctor(app, options.doctor);
  add_kernel(app, options.kernel);
  for (CLI::App* verb : app.get_subcommands({}))
    verb->set_help_flag("-h,--help", "tell this")->group(kTold);
}

void note_what_was_typed(const CLI::App& app, Options& options) {
  const CLI::App* run = app.get_subcommand("run");
  for (const Setting& setting : kSettings) {
    const std::string name(setting.name);
    if (run->get_option("--" + name)->count() > 0) options.run.typed.push_back(name);
  }
  if (options.is_checked) options.run.check = options.run_check;
  options.show.has_why = app.get_subcommand("show")->get_option("--why")->count() > 0;
}

VerbText verb_text_of(const CLI::App& verb) {
  return {verb.get_name(),    verb.get_description(),       verb.get_group(),
          option_texts(verb), examples_of(verb.get_name()), verb.get_prefix_command()};
}

CommandLine command_line_of(const CLI::App& app) {
  CommandLine line{app.get_description(), version_words(), option_texts(app), {}};
  for (const CLI::App* verb : app.get_subcommands({})) line.verbs.push_back(verb_text_of(*verb));
  return line;
}

}  // namespace tenure::cli
