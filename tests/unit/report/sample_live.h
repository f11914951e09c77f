// tests/unit/report/sample_live.h: a program that runs and leaks, as the live view sees it.
// World: tests. Plain data; each call makes a fresh one.
#pragma once
#include <string>

#include "report/live_state.h"
#include "sample_findings.h"

namespace tenure::report {

inline LiveLine live_line(const std::string& file, int line, GrowthClass what, uint64_t live,
                          uint64_t most) {
  LiveLine made;
  made.line.place = {file, line, "work", PlaceRole::made_at, "x = make()"};
  made.line.what = what;
  made.line.most_bytes = most;
  made.live_bytes = live;
  return made;
}

inline LiveState running_leak() {
  LiveState state;
  state.findings = leaking_run();
  state.findings.cost = {};
  state.findings.program.is_running = true;
  state.pid = 4711;
  state.seconds = 200;
  state.live_bytes = state.findings.live_bytes;
  state.resident_bytes = mebibytes(2.9 * 1024);
  for (int at = 0; at <= 20; ++at)
    state.moments.push_back({at * 10.0, mebibytes(300 + at * 130), mebibytes(at * 133)});
  LiveLine leak =
      live_line("train.py", 42, GrowthClass::leak, mebibytes(2.6 * 1024), mebibytes(2.6 * 1024));
  leak.line.place.function = "train";
  leak.line.place.source = "loss = criterion(model(x), y)";
  leak.line.bytes_per_step = 12.4 * double(kMiB);
  leak.line.per = "iteration of train.py:36";
  leak.line.rule = Rule::survivors;
  leak.line.holder = analyze::Holder{"global list `losses` (train.py:17), 214 items", {}};
  state.lines = {live_line("data.py", 7, GrowthClass::stayed, mebibytes(48), mebibytes(64)), leak,
                 live_line("model.py", 19, GrowthClass::dismissed, 0, mebibytes(512))};
  state.processes = {{4711, state.live_bytes, state.resident_bytes}};
  return state;
}

}  // namespace tenure::report
