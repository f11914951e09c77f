// cli/main.cpp: `tenure VERB ...`: reads the command line and calls the verb. Usage errors end with 2 and one line.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "base/version.h"
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

int usage_error(const CLI::Error& error) {
  std::string text = error.what();
  for (char& c : text) {
    if (c == '\n') c = ' ';
  }
  std::fprintf(stderr, "tenure: %s. Try: tenure --help\n", text.c_str());
  return 2;
}

int tenure_main(std::vector<std::string> arguments) {
  std::vector<std::string> cut = cut_at_dashes(arguments);

  CLI::App app{"Tenure tells who holds each tensor, since when, and why."};
  app.set_version_flag("--version", tenure::version_words());
  app.require_subcommand(1);

  RunOptions run_options;
  CLI::App* run_verb = app.add_subcommand("run", "run a program and say what its memory did");
  run_verb->prefix_command();
  run_verb->add_option("-o", run_options.directory,
                       "where to keep the record (default: PROGRAM.tenure)");
  run_verb->add_option("--json", run_options.json, "write the findings to this file");
  run_verb->add_flag("--quiet", run_options.is_quiet, "say nothing when all is well");
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

  ShowOptions show_options;
  CLI::App* show_verb = app.add_subcommand(
      "show", "tell again what a record says; also of a running or killed program");
  show_verb->add_option("record", show_options.directory, "the record, a directory")->required();
  show_verb->add_option("--json", show_options.json, "write the findings to this file");
  show_verb->add_option("--figures", show_options.figures,
                        "write every site and every loop with its figures to this file, as JSON");
  show_verb->add_option("--steps", show_options.steps,
                        "another unit of growth than the run was asked for; see run --steps");
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
  show_verb->add_option("--path", show_options.path,
                        "one way from a name to this block, e.g. b3.17 of --holders");
  show_verb->add_flag(
      "--now", show_options.is_now,
      "ask the running program for a snapshot first; the record may be a process id");

  DoctorOptions doctor_options;
  CLI::App* doctor_verb =
      app.add_subcommand("doctor", "what this machine, this Python and these frameworks allow");
  doctor_verb->add_option("--python", doctor_options.python,
                          "the interpreter to ask (default: python on PATH)");

  if (std::string error = verb_error(app, arguments); !error.empty()) {
    std::fprintf(stderr, "tenure: %s. Try: tenure --help\n", error.c_str());
    return 2;
  }
  try {
    std::reverse(arguments.begin(), arguments.end());
    app.parse(arguments);
    run_options.program = program_of(*run_verb, cut);
    show_options.has_why = why->count() > 0;
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::Error& error) {
    return usage_error(error);
  }
  if (*run_verb) return run(run_options);
  if (*show_verb) return show(show_options);
  return doctor(doctor_options);
}

}  // namespace

int main(int argc, char** argv) try {
  return tenure_main({argv + 1, argv + argc});
} catch (
    const std::exception& error) {  // out of memory, a disk that fails: nothing the verbs foresaw
  std::fprintf(stderr, "tenure: %s\n", error.what());
  return 2;
}
