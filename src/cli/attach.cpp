// cli/attach.cpp: `tenure attach`: a program that nobody prepared is watched for a while, and told of as after `tenure run`.
#include "cli/attached_run.h"
#include "cli/configuration.h"
#include "cli/duration_text.h"
#include "cli/installed_library.h"
#include "cli/record_folder.h"
#include "cli/run_report.h"
#include "cli/stderr_output.h"
#include "cli/verbs.h"

namespace tenure::cli {
namespace {

int fail(const Error& error) {
  say_line(error.message);
  return error.exit_code;
}

RunOptions report_options(const AttachOptions& options) {
  RunOptions asked;
  asked.directory = options.directory;
  asked.json = options.json;
  if (!options.steps.empty()) asked.steps = options.steps;
  asked.is_observing = true;
  asked.drops_source = !options.keeps_source;
  asked.typed = {"observe", "report"};
  if (!options.steps.empty()) asked.typed.push_back("steps");
  if (!options.keeps_source) asked.typed.push_back("no-source");
  asked.has_page = options.has_page;
  return asked;
}

int watch_and_tell(AttachedRun run, const RunOptions& options) {
  Result<RecordFolder> folder = make_record_folder(options.directory, run.arguments);
  if (!folder) return fail(folder.error());
  run.directory = folder->path;
  Result<record::Record> record = watch_attached(run);
  if (!record) {
    remove_record_folder(*folder);
    return fail(record.error());
  }
  if (!folder->notice.empty()) say_line(folder->notice);
  report_run(*record, folder->path, options, nullptr);
  return 0;
}

}  // namespace

int attach(const AttachOptions& options) {
  Result<double> seconds = parse_duration(options.duration, "--for");
  if (!seconds) return fail(seconds.error());
  const std::string library = installed_library();
  if (Result<bool> usable = check_library(library); !usable) return fail(usable.error());
  Result<attach::Target> target = attach::examine(options.pid);
  if (!target) return fail(target.error());
  Result<RunOptions> settled = with_settings(report_options(options));
  if (!settled) return fail(settled.error());
  AttachedRun run{*target, library, "", *seconds, {}, arguments_of(options.pid)};
  run.settings = {settled->steps, true, false, true, !settled->drops_source, settled->ignore};
  return watch_and_tell(std::move(run), *settled);
}

}  // namespace tenure::cli
