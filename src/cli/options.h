// cli/options.h: every verb and option of the command line: how it is parsed, what it fills, and what is told of it.
// World: offline. main.cpp parses with it; help, manual page and completions are made from what stands here.
#pragma once
#include <CLI/CLI.hpp>
#include <string>

#include "cli/command_line.h"
#include "cli/verbs.h"

namespace tenure::cli {

struct Options {
  std::string form;  // of --print-for; empty: not asked for
  RunOptions run;
  CheckOptions run_check;
  bool is_checked = false;  // run --check
  AttachOptions attach;
  WatchOptions watch;
  ShowOptions show;
  LiveOptions live;
  CheckOptions check;
  DiffOptions diff;
  ExportOptions export_record;
  CollectOptions collect;
  SqlOptions sql;
  ReportOptions report;
  DoctorOptions doctor;
  KernelOptions kernel;
};

// Fills `options` when `app` parses; both must outlive that.
void add_verbs(CLI::App& app, Options& options);

// What only the whole line tells: which options were there. After `app` has parsed.
void note_what_was_typed(const CLI::App& app, Options& options);

CommandLine command_line_of(const CLI::App& app);
VerbText verb_text_of(const CLI::App& verb);

}  // namespace tenure::cli
