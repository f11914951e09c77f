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

#include "cli/ledger_spooler.h"
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

std::string preloaded_library() {
  std::error_code failure;
  fs::path self = fs::read_symlink("/proc/self/exe", failure);
  return (self.parent_path().parent_path() / "lib" / "libtenure.so").string();
}

Result<bool> check_library(const std::string& library) {
  std::error_code failure;
  if (!fs::exists(library, failure))
    return Error{fmt::format("the library {} is missing; build or install Tenure again", library),
                 2};
  if (library.find_first_of(" :") != std::string::npos)
    return Error{fmt::format("the loader cannot preload {}: install Tenure in a folder without "
                             "spaces and colons in its name",
                             library),
                 2};
  return true;
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

// In a process of its own: whatever goes wrong with the analysis, the run ends as the program did.
void tell_apart(const record::Record& record, const RecordFolder& folder,
                const RunOptions& options) {
  pid_t teller = fork();
  if (teller <= 0) {
    if (!folder.notice.empty()) say_line(folder.notice);
    report_run(record, folder.path, options);
    if (teller == 0) _exit(0);
    return;
  }
  int status = 0;
  while (waitpid(teller, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status))
    say_line(fmt::format("the analysis failed ({}); the record is in {}",
                         strsignal(WTERMSIG(status)), folder.path));
}

// Tenure's own heap is off under the guard too: --observe asks for nothing more.
const char* heap_of(const RunOptions& options) {
  if (options.is_guarding) return ledger::kGuardedHeap;
  return options.is_observing ? ledger::kHeapOfLibc : ledger::kHeapOfTenure;
}

record::RunSettings settings_of(const RunOptions& options) {
  return {options.steps, options.is_observing, options.is_guarding, options.keeps_source};
}

int run_watched(const Program& program, const RunOptions& options) {
  std::string library = preloaded_library();
  if (Result<bool> usable = check_library(library); !usable) return fail(usable.error());
  Result<RecordFolder> folder = make_record_folder(options.directory, options.program);
  if (!folder) return fail(folder.error());
  Launch launch{program.path,         program.arguments,    program.is_preloadable ? library : "",
                folder->path,         heap_of(options),     options.counts_small_arrays,
                settings_of(options), why_not_seen(program)};
  launch.on_unresponsive = [&](const record::Record& seen) { tell_apart(seen, *folder, options); };
  Result<record::Record> record = supervise(launch);
  if (!record) {
    remove_record_folder(*folder);
    if (record.error().exit_code != kCannotWatch) return fail(record.error());
    say_line(record.error().message + "; it runs without Tenure");
    return become(program);
  }
  tell_apart(*record, *folder, options);
  end_like(record->outcome);
}

}  // namespace

int run(const RunOptions& options) {
  if (options.program.empty()) return fail({"run needs a program. Try: tenure run train.py", 2});
  Result<Program> program = resolve_program(options.program);
  if (!program) return fail(program.error());
  return is_inside_another() ? become(*program) : run_watched(*program, options);
}

}  // namespace tenure::cli
