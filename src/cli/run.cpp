// cli/run.cpp: `tenure run`: the program first, undisturbed; Tenure's words after it, on stderr.
#include <fmt/core.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "cli/program.h"
#include "cli/supervisor.h"
#include "cli/tell.h"
#include "cli/verbs.h"
#include "ledger/protocol.h"

namespace tenure::cli {
namespace {

namespace fs = std::filesystem;

int fail(const Error& error) {
  fmt::print(stderr, "tenure: {}\n", error.message);
  return error.exit_code;
}

std::string preloaded_library() {
  std::error_code failure;
  fs::path self = fs::read_symlink("/proc/self/exe", failure);
  return (self.parent_path().parent_path() / "lib" / "libtenure.so").string();
}

// The record's directory, made. Where that is refused the record goes to the temporary folder, and we say so.
Result<std::string> make_record(const RunOptions& options) {
  std::string wanted = options.directory.empty() ? record_name(options.program) : options.directory;
  std::error_code failure;
  fs::create_directories(wanted, failure);
  if (!failure && access(wanted.c_str(), W_OK) == 0) return wanted;
  std::string why = failure ? failure.message() : std::strerror(errno);
  if (!options.directory.empty())
    return Error{fmt::format("cannot make the record {}: {}; choose another with -o", wanted, why),
                 2};
  std::string pattern = (fs::temp_directory_path(failure) / "tenure-XXXXXX").string();
  if (!mkdtemp(pattern.data()))
    return Error{fmt::format("cannot make the record {}: {}; choose another with -o", wanted, why),
                 2};
  fmt::print(stderr, "tenure: cannot make {} here ({}); the record goes to {}\n", wanted, why,
             pattern);
  return pattern;
}

// Inside another `tenure run` the outer one sees this program already: the variables that lead to it are inherited.
int run_inside(const Program& program) {
  std::vector<char*> arguments = argument_vector(program.arguments);
  execv(arguments[0], arguments.data());
  return fail({fmt::format("cannot run {}: {}", program.arguments[0], std::strerror(errno)), 126});
}

}  // namespace

int run(const RunOptions& options) {
  if (options.program.empty()) return fail({"run needs a program. Try: tenure run train.py", 2});
  Result<Program> program = resolve_program(options.program);
  if (!program) return fail(program.error());
  if (getenv(ledger::kSocketVariable)) return run_inside(*program);
  Result<std::string> directory = make_record(options);
  if (!directory) return fail(directory.error());
  Launch launch{program->arguments, preloaded_library(), *directory};
  if (!fs::exists(launch.library))
    return fail(
        {fmt::format("the library {} is missing; build or install Tenure again", launch.library),
         2});
  Result<analyze::RunOutcome> outcome = supervise(launch);
  if (!outcome) {
    fs::remove_all(*directory);
    return fail(outcome.error());
  }
  outcome->not_seen = program->not_seen;
  Result<bool> written = analyze::write_outcome(*directory, *outcome);
  if (!written)
    fmt::print(stderr, "tenure: {}; the findings below are complete, the record is not\n",
               written.error().message);
  tell_run(*directory, *outcome, options);
  end_like(*outcome);
}

}  // namespace tenure::cli
