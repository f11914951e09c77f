// cli/live.cpp: `tenure live`: shows a running program until its user has seen enough.
#include <fmt/core.h>

#include <cstdio>
#include <cstdlib>

#include "cli/live_loop.h"
#include "cli/live_watch.h"
#include "cli/metrics_publisher.h"
#include "cli/running_record.h"
#include "cli/stderr_output.h"
#include "cli/verbs.h"
#include "report/live_frame.h"
#include "report/verdict_sentence.h"

namespace tenure::cli {
namespace {

using report::FrameOptions;
using report::LiveState;

constexpr int kPlainRows = 40;  // of a frame for a file

int print_frame(LiveState state, const std::string& directory) {
  state.age_seconds = age_of_record(directory);
  FrameOptions options{{100, kPlainRows}, false, LiveTerminal::is_utf8(), true};
  for (const std::string& row : report::live_frame(state, {}, options)) fmt::print("{}\n", row);
  return std::fflush(stdout) == 0 ? 0 : 2;
}

int fail(const Error& error) {
  say_line(error.message);
  return error.exit_code;
}

}  // namespace

int live(const LiveOptions& options) {
  Result<std::string> directory = record_meant(options.record);
  if (!directory) return fail(directory.error());
  if (!options.metrics.empty()) {
    Result<MetricsTarget> target = MetricsTarget::open(options.metrics);
    return target ? publish_metrics(*directory, std::move(*target), -1) : fail(target.error());
  }
  Looker looker(*directory);
  Result<LiveState> first = looker.look();
  if (!first) return fail(first.error());
  if (options.is_once || !LiveTerminal::is_possible())
    return print_frame(std::move(*first), *directory);
  std::string last;
  {
    LiveLoop loop(std::move(looker), std::move(*first));
    loop.run();
    last = report::verdict_sentence(loop.state().findings, loop.state().directory);
  }
  fmt::print("tenure: {}\n", last);  // the screen of the view is gone: this stays
  std::fflush(stdout);
  std::_Exit(0);  // a look may be under way, which nobody waits for
}

}  // namespace tenure::cli
