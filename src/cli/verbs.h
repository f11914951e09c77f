// cli/verbs.h: the verbs of the command line; each returns the exit code.
// World: offline. One file per verb.
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace tenure::cli {

// Limits as they were typed; empty: not asked for.
struct CheckOptions {
  std::vector<std::string> records;
  std::string max_growth, max_peak, max_accumulated;
  bool forbids_lifetime_errors = false;
  std::string baseline;
  bool updates_baseline = false;
  bool is_unknown_ok = false;
  std::string format = "text";
  std::string output;
};
int check(const CheckOptions& options);

struct DiffOptions {
  std::string before, after;
  std::string json;
  std::string page;  // a file; empty: none
};
int diff(const DiffOptions& options);

struct ExportOptions {
  std::vector<std::string> records;
  std::string format;
  std::string figure = "peak";  // of stacks: peak, live, total
  std::string output;           // empty: standard output
  std::string dataset;          // a folder: what --parquet was given
  std::string run;              // of a dataset: what the run is called; empty: by program and start
  std::string python;           // that has DuckDB; empty: see python_package.h
};
int export_record(const ExportOptions& options);
int export_fleet(const ExportOptions& options);  // into the folder `output`

struct CollectOptions {
  std::vector<std::string> folders;  // the last one is where the records go
};
int collect(const CollectOptions& options);

struct SqlOptions {
  std::string question, dataset;
  std::string format = "table";
  std::string python;
};
int sql(const SqlOptions& options);

struct RunOptions {
  std::vector<std::string> program;
  std::string directory;
  std::string json;
  std::string steps = "auto";
  bool is_quiet = false;
  bool has_no_report = false;
  bool is_observing = false;
  bool is_guarding = false;
  bool drops_source = false;
  bool counts_small_arrays = false;
  std::vector<std::string> ignore;  // lines "train.py:42" and names of holders that are accepted
  std::vector<std::string> typed;   // names of settings (cli/settings.h) that the command line gave
  std::optional<CheckOptions> check;  // nothing: no limits
  bool has_page = false;
  bool is_live = false;
  std::string metrics;  // a file or a port; empty: none
};
int run(const RunOptions& options);

struct AttachOptions {
  int pid = 0;
  std::string duration;  // as "60s"; empty: until Ctrl-C
  std::string directory;
  std::string json;
  std::string steps;  // empty: as the settings say
  bool keeps_source = true;
  bool has_page = false;
};
int attach(const AttachOptions& options);

struct WatchOptions {
  std::string record;  // or the id of a process
  std::string verdict = "leak";
  std::vector<std::string> command;
};
int watch(const WatchOptions& options);

struct ShowOptions {
  std::string directory;
  std::string json;
  std::string figures;
  std::string steps;  // empty: as the run was asked
  int process = 0;    // only this one of the run's processes; 0: all of them
  std::string since;  // only what was made in the stretch marked so; empty: the report
  bool has_sites = false;
  bool has_loops = false;
  bool has_holders = false;
  bool has_scopes = false;
  bool has_processes = false;
  std::string path;  // of this block
  bool has_why = false;
  std::string why;  // only of this line, FILE:LINE; empty: of every line
  bool is_now = false;
};
int show(const ShowOptions& options);

struct LiveOptions {
  std::string record;  // or the id of a process; empty: the newest below the current folder
  bool is_once = false;
  std::string metrics;  // a file, a port, or - for once on standard output; empty: the view
};
int live(const LiveOptions& options);
struct ReportOptions {
  std::string directory;
  std::string output;  // a file; empty: report.html in the record
};
int report_page(const ReportOptions& options);

struct DoctorOptions {
  std::string python;
};
int doctor(const DoctorOptions& options);

struct KernelOptions {
  std::string action;           // install or remove
  std::string name = "tenure";  // of its folder
  std::string display_name = "Python under Tenure";
  std::string python;                  // the interpreter; empty: `python` on PATH
  std::string prefix;                  // below it: share/jupyter/kernels; empty: the user's own
  bool is_beside_interpreter = false;  // below sys.prefix of that one
  bool keeps_record = false;           // also of a kernel that ends by itself
  bool keeps_source = true;
};
int kernel(const KernelOptions& options);

}  // namespace tenure::cli
