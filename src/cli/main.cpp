// cli/main.cpp: `tenure VERB ...`: reads the command line and calls the verb. Usage errors end with 2 and one line.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "cli/command_help.h"
#include "cli/options.h"
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

int usage_error(const std::string& sentence) {
  std::fprintf(stderr, "tenure: %s. Try: tenure --help\n", sentence.c_str());
  return 2;
}

int usage_error(const CLI::Error& error) {
  std::string text = error.what();
  for (char& c : text) {
    if (c == '\n') c = ' ';
  }
  return usage_error(text);
}

// Instead of CLI11's own words: of the verb that was named, else of all.
std::string help_text(const CLI::App* app) {
  return app->get_parent() ? help(verb_text_of(*app)) : help(command_line_of(*app));
}

int call_verb(const CLI::App& app, const Options& options) {
  auto is_chosen = [&](const char* name) { return app.got_subcommand(name); };
  if (is_chosen("run")) return run(options.run);
  if (is_chosen("attach")) return attach(options.attach);
  if (is_chosen("watch")) return watch(options.watch);
  if (is_chosen("show")) return show(options.show);
  if (is_chosen("live")) return live(options.live);
  if (is_chosen("check")) return check(options.check);
  if (is_chosen("diff")) return diff(options.diff);
  if (is_chosen("export")) return export_record(options.export_record);
  if (is_chosen("collect")) return collect(options.collect);
  if (is_chosen("sql")) return sql(options.sql);
  if (is_chosen("report")) return report_page(options.report);
  if (is_chosen("doctor")) return doctor(options.doctor);
  if (is_chosen("kernel")) return kernel(options.kernel);
  return usage_error(CLI::RequiredError("A verb"));
}

int tenure_main(std::vector<std::string> arguments) {
  std::vector<std::string> cut = cut_at_dashes(arguments);
  Options options;
  CLI::App app{
      "Tenure tells which line makes the memory that grows, who holds each tensor, and why.",
      "tenure"};
  add_verbs(app, options);
  app.formatter_fn([](const CLI::App* asked, const std::string&, CLI::AppFormatMode) {
    return help_text(asked);
  });
  for (CLI::App* verb : app.get_subcommands({})) verb->formatter(app.get_formatter());
  if (std::string error = verb_error(app, arguments); !error.empty()) return usage_error(error);
  try {
    std::reverse(arguments.begin(), arguments.end());
    app.parse(arguments);
    options.run.program = program_of(*app.get_subcommand("run"), cut);
    options.watch.command = app.get_subcommand("watch")->remaining();
    note_what_was_typed(app, options);
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::Error& error) {
    return usage_error(error);
  }
  if (options.form.empty()) return call_verb(app, options);
  const std::string text = told_as(options.form, command_line_of(app));
  std::fputs(text.c_str(), stdout);
  return text.empty() ? 2 : 0;
}

}  // namespace

int main(int argc, char** argv) try {
  return tenure_main({argv + 1, argv + argc});
} catch (
    const std::exception& error) {  // out of memory, a disk that fails: nothing the verbs foresaw
  std::fprintf(stderr, "tenure: %s\n", error.what());
  return 2;
}
