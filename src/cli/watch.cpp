// cli/watch.cpp: `tenure watch`: looks at the record of a running program as `live` does, and runs a command once, as soon as
// its verdict becomes the one that is waited for.
#include <fmt/core.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <thread>

#include "base/vocabulary.h"
#include "cli/live_watch.h"
#include "cli/program.h"
#include "cli/running_record.h"
#include "cli/stderr_output.h"
#include "cli/verbs.h"

namespace tenure::cli {
namespace {

constexpr int kNeverCame = 1;  // the program ended, and the verdict was another one to its end

int fail(const Error& error) {
  say_line(error.message);
  return error.exit_code;
}

Result<Verdict> verdict_named(const std::string& name) {
  if (const std::optional<Verdict> verdict = verdict_from(name)) return *verdict;
  std::string known;
  for (const char* verdict : kVerdictCodes)
    known += (known.empty() ? "" : ", ") + std::string(verdict);
  return Error{fmt::format("--on takes one of {}, not `{}`", known, name), 2};
}

// The command finds out by these what it was run for.
void tell_by_environment(const std::string& directory, const report::LiveState& state) {
  setenv("TENURE_RECORD", directory.c_str(), 1);
  setenv("TENURE_VERDICT", code(state.findings.verdict), 1);
  setenv("TENURE_PID", std::to_string(state.pid).c_str(), 1);
}

// Its exit code, as a shell tells it.
int run_command(const std::vector<std::string>& command) {
  pid_t child = -1;
  const int failure = posix_spawnp(&child, command[0].c_str(), nullptr, nullptr,
                                   argument_vector(command).data(), environ);
  if (failure != 0)
    return fail({fmt::format("cannot run {}: {}", command[0], std::strerror(failure)),
                 failure == ENOENT ? 127 : 126});
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int watch_until(Looker looker, Verdict awaited, const std::vector<std::string>& command) {
  for (;;) {
    Result<report::LiveState> state = looker.look();
    if (!state) return fail(state.error());
    if (state->findings.verdict == awaited) {
      tell_by_environment(looker.directory(), *state);
      return run_command(command);
    }
    if (state->is_complete) {
      say_line(
          fmt::format("the program of {} has ended, or is no longer watched; its verdict is {}",
                      looker.directory(), code(state->findings.verdict)));
      return kNeverCame;
    }
    do std::this_thread::sleep_for(pause_after(looker.cost()));
    while (!looker.has_news());
  }
}

}  // namespace

int watch(const WatchOptions& options) {
  Result<Verdict> awaited = verdict_named(options.verdict);
  if (!awaited) return fail(awaited.error());
  if (options.command.empty())
    return fail({"watch needs a command. Try: tenure watch train.tenure --on leak ./tell.sh", 2});
  Result<std::string> directory = record_meant(options.record);
  if (!directory) return fail(directory.error());
  return watch_until(Looker(*directory), *awaited, options.command);
}

}  // namespace tenure::cli
