// cli/run.cpp: `tenure run`: the program first, undisturbed; Tenure's words after it, on stderr.
#include <fmt/core.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>

#include "cli/check_plan.h"
#include "cli/configuration.h"
#include "cli/installed_library.h"
#include "cli/ledger_spooler.h"
#include "cli/live_run.h"
#include "cli/metrics_publisher.h"
#include "cli/program.h"
#include "cli/record_folder.h"
#include "cli/run_report.h"
#include "cli/stderr_output.h"
#include "cli/supervisor.h"
#include "cli/verbs.h"
#include "ledger/protocol.h"
#include "ledger/writer.h"

namespace tenure::cli {
namespace {

namespace fs = std::filesystem;

int fail(const Error& error) {
  say_line(error.message);
  return error.exit_code;
}

// Why the program cannot keep a ledger, as far as it is known before it runs.
std::string why_not_seen(const Program& program) {
  rlimit limit{};
  bool is_small = getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < ledger::reserved_bytes();
  if (!program.not_seen.empty() || !is_small) return program.not_seen;
  return fmt::format(
      "the limit of file size leaves no room for the ledger; allow {} MiB with ulimit -f",
      (ledger::reserved_bytes() >> 20) + 1);
}

// Inside another `tenure run` the outer one sees this program already: the variables that lead to it are inherited.
bool is_inside_another() {
  const char* socket_name = getenv(ledger::kSocketVariable);
  return socket_name && is_someone_listening(socket_name);
}

int become(const Program& program) {
  execv(program.path.c_str(), argument_vector(program.arguments).data());
  return fail({fmt::format("cannot run {}: {}", program.arguments[0], std::strerror(errno)), 126});
}

// Where the user finds what the program printed while the view had its terminal.
void say_output(const LiveRun* view, const RunOptions& options) {
  if (view)
    say(fmt::format("  output: {}\n", view->file()));
  else if (options.is_live)
    say_line("there was no live view: it needs a terminal for standard input and output");
}

// In a process of its own: whatever goes wrong with the analysis, the run ends as the program did. The exit code of --check.
int tell_apart(const record::Record& record, const RecordFolder& folder, const RunOptions& options,
               const CheckPlan* plan, bool is_kept) {
  pid_t teller = fork();
  if (teller <= 0) {
    if (!folder.notice.empty()) say_line(folder.notice);
    RunReport told = report_run(record, folder.path, options, plan);
    bool is_asked_for =
        is_kept || told.has_told || !options.directory.empty() || !record.outcome.has_ended;
    if (!is_asked_for) remove_record_folder(folder);
    if (teller == 0) _exit(told.check_code);
    return told.check_code;
  }
  int status = 0;
  while (waitpid(teller, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status))
    say_line(fmt::format("the analysis failed ({}); the record is in {}",
                         strsignal(WTERMSIG(status)), folder.path));
  return WIFEXITED(status) ? WEXITSTATUS(status) : kCannotTell;
}

// Tenure's own heap is off under the guard too: --observe asks for nothing more.
const char* heap_of(const RunOptions& options) {
  if (options.is_guarding) return ledger::kGuardedHeap;
  return options.is_observing ? ledger::kHeapOfLibc : ledger::kHeapOfTenure;
}

record::RunSettings settings_of(const RunOptions& options) {
  return {options.steps, options.is_observing,  options.is_guarding,
          false,         !options.drops_source, options.ignore};
}

// The program's own failure comes first.
int end_of(const record::RunOutcome& outcome, const CheckPlan* plan, int check_code) {
  const bool has_failed = outcome.signal != 0 || outcome.exit_code != 0;
  if (!plan || has_failed || check_code == kWithin) end_like(outcome);
  return check_code;
}

int run_watched(const Program& program, const RunOptions& options, const CheckPlan* plan) {
  std::string library = installed_library();
  if (Result<bool> usable = check_library(library); !usable) return fail(usable.error());
  Result<RecordFolder> folder = make_record_folder(options.directory, options.program);
  if (!folder) {
    if (!options.directory.empty() || plan) return fail(folder.error());
    say_line(folder.error().message + "; the program runs without Tenure");
    return become(program);
  }
  Launch launch{program.path,         program.arguments,    program.is_preloadable ? library : "",
                folder->path,         heap_of(options),     options.counts_small_arrays,
                settings_of(options), why_not_seen(program)};
  const std::unique_ptr<LiveRun> view = options.is_live ? LiveRun::start(folder->path) : nullptr;
  if (view) launch.output = view->output();
  MetricsPublisher publisher;
  if (!options.metrics.empty()) {
    Result<MetricsTarget> target = MetricsTarget::open(options.metrics);
    if (!target) {
      remove_record_folder(*folder);
      return fail(target.error());
    }
    publisher.start(folder->path, std::move(*target));
  }
  launch.on_unresponsive = [&](const record::Record& seen) {
    if (view) view->end();
    tell_apart(seen, *folder, options, nullptr, view != nullptr);
  };
  Result<record::Record> record = supervise(launch);
  publisher.finish();
  if (record) record->outcome.own.supervisor_ns += publisher.processor_ns();
  if (!record) {
    if (view) view->end();
    remove_record_folder(*folder);
    if (record.error().exit_code != kCannotWatch || plan) return fail(record.error());
    say_line(record.error().message + "; it runs without Tenure");
    return become(program);
  }
  if (view) view->end();
  if (options.has_no_report && !plan && record->outcome.signal == 0) {
    if (!view) remove_record_folder(*folder);
    say_output(view.get(), options);
    end_like(record->outcome);
  }
  const int check_code = tell_apart(*record, *folder, options, plan, view != nullptr);
  say_output(view.get(), options);
  return end_of(record->outcome, plan, check_code);
}

}  // namespace

int run(const RunOptions& options) {
  if (options.program.empty()) return fail({"run needs a program. Try: tenure run train.py", 2});
  if (options.metrics == "-")
    return fail({"run --metrics needs a file or a port: standard output is the program's", 2});
  Result<Program> program = resolve_program(options.program);
  if (!program) return fail(program.error());
  std::optional<CheckPlan> plan;
  if (options.check) {
    Result<CheckPlan> asked = plan_check(*options.check);
    if (!asked) return fail(asked.error());
    plan = std::move(*asked);
  }
  if (is_inside_another() && plan)
    return fail(
        {"--check inside of another `tenure run` sees nothing; give it to the outer one", 2});
  if (is_inside_another()) return become(*program);
  Result<RunOptions> settled = with_settings(options);
  if (!settled) return fail(settled.error());
  return run_watched(*program, *settled, plan ? &*plan : nullptr);
}

}  // namespace tenure::cli
