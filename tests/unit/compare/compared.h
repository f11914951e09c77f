// tests/unit/compare/compared.h: invented findings of two versions of a program.
// World: tests. Plain data; each call makes a fresh one.
#pragma once
#include <string>

#include "analyze/findings/findings.h"

namespace tenure::analyze {

inline constexpr uint64_t kMiB = 1 << 20;

inline Finding leak_at(const std::string& file, int line, const std::string& function,
                       const std::string& statement, double slope = 100'000) {
  Finding finding;
  finding.kind = Kind::retained_python;
  finding.severity = Severity::leak;
  finding.where = {{file, line, function, PlaceRole::made_at, statement}};
  finding.holder = Holder{"", {{"kept", "list"}}, ""};
  finding.bytes_per_step = slope;
  finding.bytes = static_cast<uint64_t>(slope * 200);
  finding.steps = 200;
  return finding;
}

inline Finding error_at(int line) {
  Finding finding;
  finding.kind = Kind::closed_session;
  finding.severity = Severity::error;
  finding.where = {{"serve.py", line, "handle", PlaceRole::used, "sess.run(b)"}};
  return finding;
}

inline ConsideredLine line_at(const std::string& file, int line, const std::string& statement,
                              uint64_t most) {
  ConsideredLine considered;
  considered.place = {file, line, "load", PlaceRole::made_at, statement};
  considered.most_bytes = most;
  return considered;
}

inline Findings run_with(std::vector<Finding> findings, Verdict verdict = Verdict::leak) {
  Findings run;
  run.verdict = verdict;
  run.findings = std::move(findings);
  LineBalance balance;
  balance.pid = 7;
  balance.at_peak.total = 30 * kMiB;
  run.balance = {balance};
  return run;
}

inline Findings clean_run() { return run_with({}, Verdict::clean); }

}  // namespace tenure::analyze
