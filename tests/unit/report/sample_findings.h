// tests/unit/report/sample_findings.h: the runs that the report tests tell about.
// World: tests. Plain data; each call makes a fresh one.
#pragma once
#include "analyze/findings/findings.h"

namespace tenure::report {

inline constexpr uint64_t kKiB = 1024;
inline constexpr uint64_t kMiB = 1024 * kKiB;
inline constexpr uint64_t kGiB = 1024 * kMiB;

inline uint64_t mebibytes(double count) { return static_cast<uint64_t>(count * double(kMiB)); }

// `train.py` keeps the loss of every step: the first example of the design.
inline analyze::Finding autograd_leak() {
  analyze::Finding finding;
  finding.kind = Kind::retained_autograd;
  finding.severity = Severity::leak;
  finding.title = "losses keep their autograd graphs";
  finding.why = "every stored loss keeps the whole autograd graph of its step";
  finding.fix = "store loss.item() or loss.detach()";
  finding.confidence = 0.95;
  finding.where = {
      {"train.py", 42, "train", PlaceRole::made_at, "    loss = criterion(model(x), y)\n"}};
  finding.holder = analyze::Holder{
      "global list `losses` (train.py:17), 214 items -> Tensor.grad_fn -> saved activations",
      {{"losses", "list"}, {"grad_fn", "NllLossBackward0"}}};
  finding.bytes = mebibytes(2.6 * 1024);
  finding.count = 214;
  finding.bytes_per_step = 12.4 * double(kMiB);
  finding.steps = 214;
  finding.per = "iteration of train.py:36";
  return finding;
}

inline analyze::Findings leaking_run() {
  analyze::Findings findings;
  findings.verdict = Verdict::leak;
  findings.program.arguments = {"python", "train.py"};
  findings.program.python = "3.11.7";
  findings.program.frameworks = {{"torch", "2.9.0"}};
  findings.program.processes = 1;
  findings.peak_bytes = mebibytes(3.1 * 1024);
  findings.live_bytes = mebibytes(2.6 * 1024);
  findings.resident_peak_bytes = mebibytes(3.4 * 1024);
  findings.peak_step = 213;
  findings.cost.hooks = 0.3;
  findings.cost.supervisor = 0.1;
  findings.cost.program = 100;
  findings.cost.bytes = 18 * kMiB;
  findings.steps = 214;
  findings.per = "iteration of train.py:36";
  findings.findings = {autograd_leak()};
  return findings;
}

// `serve.py` uses a session behind its `with` block: the second example of the design.
inline analyze::Finding closed_session() {
  analyze::Finding finding;
  finding.kind = Kind::closed_session;
  finding.severity = Severity::error;
  finding.title = "session #2 was closed before this use";
  finding.fix = "move line 21 into the block, or open a new session for it";
  finding.confidence = 1;
  finding.where = {
      {"serve.py", 21, "<module>", PlaceRole::used, "print(sess.run(b))"},
      {"serve.py", 10, "<module>", PlaceRole::created, "with tf.Session() as sess:"},
      {"serve.py", 14, "<module>", PlaceRole::ended, "end of that `with` block, 0.31 s earlier"}};
  finding.error = analyze::ErrorText{"RuntimeError", "Attempted to use a closed Session."};
  return finding;
}

inline analyze::Findings failing_run() {
  analyze::Findings findings;
  findings.verdict = Verdict::lifetime_error;
  findings.program.arguments = {"python", "serve.py"};
  findings.program.exit_code = 1;
  findings.peak_bytes = 40 * kMiB;
  findings.findings = {closed_session()};
  return findings;
}

inline analyze::Findings clean_run() {
  analyze::Findings findings;
  findings.verdict = Verdict::clean;
  findings.program.arguments = {"python", "train.py"};
  findings.peak_bytes = mebibytes(78.2);
  findings.cost.hooks = 0.02;
  findings.cost.program = 100;
  findings.cost.bytes = 4 * kMiB;
  return findings;
}

inline analyze::Findings unknown_run() {
  analyze::Findings findings;
  findings.verdict = Verdict::unknown;
  findings.reason = "growth was seen over 5 steps only";
  findings.program.arguments = {"python", "train.py"};
  findings.peak_bytes = 90 * kMiB;
  findings.steps = 5;
  return findings;
}

inline analyze::Findings killed_run() {
  analyze::Findings findings = leaking_run();
  findings.verdict = Verdict::out_of_memory;
  findings.program.signal = 9;
  analyze::Finding death = autograd_leak();
  death.kind = Kind::out_of_memory;
  death.severity = Severity::error;
  death.title = "the kernel killed it for want of memory";
  death.why = "";
  death.fix = "";
  death.bytes_per_step.reset();
  death.holder->text = "global list `losses`";
  findings.findings = {death};
  return findings;
}

}  // namespace tenure::report
