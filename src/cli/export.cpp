// cli/export.cpp: `tenure export`: a record in the formats of other tools.
#include <fmt/core.h>

#include <cstdio>
#include <optional>

#include "analyze/analysis.h"
#include "analyze/run/stack_profile.h"
#include "analyze/run/timeline.h"
#include "cli/open_record.h"
#include "cli/report_output.h"
#include "cli/stderr_output.h"
#include "cli/verbs.h"
#include "report/formats/collapsed.h"
#include "report/formats/lines_csv.h"
#include "report/formats/pprof.h"
#include "report/formats/sarif.h"
#include "report/formats/speedscope.h"
#include "report/formats/trace_json.h"
#include "report/problems.h"
#include "report/source_text.h"
#include "report/verdict_sentence.h"

namespace tenure::cli {
namespace {

constexpr char kParquet[] = "parquet";

int fail(const Error& error) {
  say_line(error.message);
  return error.exit_code;
}

std::string name_of(const record::Record& record) {
  analyze::ProgramInfo program;
  program.arguments = record.outcome.arguments;
  return report::program_name(program);
}

std::string findings_sarif(const record::Record& record) {
  analyze::Findings findings = analyze::judge(record, {});
  report::add_source_text(*record.sources, findings);
  const std::string& directory = record.outcome.directory;
  return report::sarif({{directory, report::problems_of(findings, directory)}});
}

// Nothing: there is no such format.
std::optional<std::string> exported(const record::Record& record, const std::string& format,
                                    report::Figure figure) {
  const record::RunOutcome& run = record.outcome;
  if (format == "sarif") return findings_sarif(record);
  if (format == "trace")
    return report::trace_json(analyze::timelines(record), run.moments, name_of(record));
  const std::vector<analyze::StackSample> samples = analyze::stack_samples(record);
  if (format == "pprof") return report::pprof(samples, {run.started_ns, run.seconds, figure});
  if (format == "speedscope") return report::speedscope(samples, figure, name_of(record));
  if (format == "collapsed") return report::collapsed(samples, figure, run.directory);
  if (format == "csv") return report::lines_csv(samples, run.directory);
  return std::nullopt;
}

std::optional<Error> wrong_usage(const ExportOptions& options) {
  static const char* const kFormats[] = {"pprof", "speedscope", "collapsed", "trace",
                                         "csv",   "sarif",      kParquet};
  if (options.format.empty()) return Error{"--format is required, or --parquet DIR", 2};
  bool is_format = false;
  for (const char* format : kFormats) is_format |= options.format == format;
  if (!is_format)
    return Error{fmt::format("there is no format `{}`; there are pprof, speedscope, collapsed, "
                             "trace, csv, sarif, parquet",
                             options.format),
                 2};
  if (!report::figure_named(options.figure))
    return Error{
        fmt::format("there is no figure `{}`; there are peak, live, total", options.figure), 2};
  if (options.format == kParquet && options.output.empty())
    return Error{"a dataset is a folder; name it with --parquet DIR, or -o DIR", 2};
  if (options.format != kParquet && options.records.size() != 1)
    return Error{"only a dataset (--parquet DIR) takes several records", 2};
  if (options.format == "pprof" && options.output.empty())
    return Error{"a profile for pprof is no text; name its file with -o FILE", 2};
  return std::nullopt;
}

bool print(const std::string& text) {
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() &&
         std::fflush(stdout) == 0;
}

}  // namespace

int export_record(const ExportOptions& asked) {
  ExportOptions options = asked;
  if (!options.dataset.empty()) {
    if (!options.format.empty() || !options.output.empty())
      return fail({"--parquet DIR is all that is needed; leave --format and -o out", 2});
    options.format = kParquet;
    options.output = options.dataset;
  }
  if (auto error = wrong_usage(options)) return fail(*error);
  if (options.format == kParquet) return export_fleet(options);
  Result<record::Record> record = open_record(options.records[0]);
  if (!record) return fail(record.error());
  const std::string text =
      exported(*record, options.format, *report::figure_named(options.figure)).value_or("");
  const bool is_printed = options.output.empty() || options.output == kStandardOutput;
  return (is_printed ? print(text) : write_asked(options.output, text)) ? 0 : 2;
}

}  // namespace tenure::cli
