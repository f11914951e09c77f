// tests/unit/report/json_test.cpp: findings in, JSON out, read back by the parser.
#include "report/json.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "report/text.h"
#include "sample_findings.h"

namespace tenure::report {
namespace {

using nlohmann::json;

json parsed(const analyze::Findings& findings) { return json::parse(findings_json(findings)); }

TEST(FindingsJson, WritesAnEmptyRun) {
  EXPECT_EQ(parsed({}), json::parse(R"json({
    "schema": "tenure-findings/2", "verdict": "unknown", "reason": null, "ending": null,
    "program": {"argv": [], "python": null, "frameworks": {}, "exit": 0, "signal": null,
                "processes": 0, "running": false},
    "memory": {"peak_bytes": 0, "joint_peak_bytes": 0, "live_bytes": 0, "resident_peak_bytes": 0, "unseen_bytes": 0,
               "unseen_growth_bytes": 0, "at_peak": {},
               "parts": {"resident_bytes": 0, "tracked_live_bytes": 0, "other_live_bytes": 0,
                         "allocator_retention_bytes": 0, "code_and_stacks_bytes": 0,
                         "file_pages_bytes": 0, "own_bytes": 0, "unknown_bytes": 0}},
    "losses": {}, "cost": {"time_share": 0, "bytes": 0,
             "processor_seconds": {"hooks": 0, "adapters": 0, "snapshots": 0, "supervisor": 0, "analysis": 0, "program": 0}}, "steps": 0, "per": null,
    "findings": [], "considered": [], "balance": [], "processes": []})json"));
}

TEST(FindingsJson, WritesALeak) {
  EXPECT_EQ(parsed(leaking_run())["findings"][0], json::parse(R"json({
    "kind": "retained-autograd", "severity": "leak", "title": "losses keep their autograd graphs",
    "why": "every stored loss keeps the whole autograd graph of its step",
    "fix": "store loss.item() or loss.detach()", "confidence": 0.95,
    "where": [{"file": "train.py", "line": 42, "function": "train", "role": "made at",
               "source": "    loss = criterion(model(x), y)\n"}],
    "holder": {"text": "global list `losses` (train.py:17), 214 items -> Tensor.grad_fn -> saved activations",
               "path": [{"name": "losses", "type": "list"},
                        {"name": "grad_fn", "type": "NllLossBackward0"}]},
    "op": null, "device": "cpu", "bytes": 2791728742, "count": 214, "bytes_per_step": 13002342.4,
    "steps": 214, "about": [], "per": "iteration of train.py:36", "steps_till_full": null, "processes": [], "error": null,
    "accepted_by": null})json"));
}

TEST(FindingsJson, WritesTheBalanceOfEachProcess) {
  analyze::Findings findings;
  analyze::LineBalance& balance = findings.balance.emplace_back();
  balance.pid = 7;
  balance.at_peak = {100, {{GrowthClass::leak, 60}, {GrowthClass::dismissed, 30}}, 8, 2};
  EXPECT_EQ(parsed(findings)["balance"][0], json::parse(R"json({
    "pid": 7, "device": "cpu",
    "at_peak": {"total_bytes": 100, "came_to": {"leak": 60, "dismissed": 30}, "small_lines_bytes": 8, "own_bytes": 2},
    "at_end": {"total_bytes": 0, "came_to": {}, "small_lines_bytes": 0, "own_bytes": 0}})json"));
}

TEST(FindingsJson, WritesEachProcess) {
  analyze::Findings findings;
  findings.processes.push_back({7, 5, {"python", "worker.py"}, 0.5, 2.25, 100, 60, 4000, true});
  EXPECT_EQ(parsed(findings)["processes"][0], json::parse(R"json({
    "pid": 7, "parent_pid": 5, "argv": ["python", "worker.py"], "began_seconds": 0.5, "ended_seconds": 2.25,
    "peak_bytes": 100, "live_bytes": 60, "resident_peak_bytes": 4000, "leaks": true, "role": null})json"));
}

TEST(FindingsJson, WritesTheProgramAndItsMemory) {
  analyze::Findings findings = leaking_run();
  findings.losses = {{"torch-hook", "torch 2.9.0 does not look as expected"}};
  findings.parts.resident = 7;
  const json document = parsed(findings);
  EXPECT_EQ(document["verdict"], "leak");
  EXPECT_EQ(document["program"]["argv"], json({"python", "train.py"}));
  EXPECT_EQ(document["program"]["python"], "3.11.7");
  EXPECT_EQ(document["program"]["frameworks"], json({{"torch", "2.9.0"}}));
  EXPECT_EQ(document["memory"]["parts"]["resident_bytes"], 7);
  EXPECT_EQ(document["losses"]["torch-hook"], "torch 2.9.0 does not look as expected");
  EXPECT_DOUBLE_EQ(document["cost"]["time_share"], 0.004);
  EXPECT_EQ(document["cost"]["bytes"], 18 * kMiB);
  EXPECT_EQ(document["cost"]["processor_seconds"]["hooks"], 0.3);
  EXPECT_EQ(document["cost"]["processor_seconds"]["program"], 100);
  EXPECT_EQ(document["per"], "iteration of train.py:36");
}

TEST(FindingsJson, WritesTheError) {
  const json finding = parsed(failing_run())["findings"][0];
  EXPECT_EQ(finding["error"]["type"], "RuntimeError");
  EXPECT_EQ(finding["error"]["message"], "Attempted to use a closed Session.");
  EXPECT_TRUE(finding["holder"].is_null());
  EXPECT_TRUE(finding["bytes_per_step"].is_null());
  EXPECT_TRUE(finding["steps"].is_null());
}

TEST(FindingsJson, KeepsTheOrderOfTheContract) {
  const std::string text = findings_json(leaking_run());
  size_t before = 0;
  for (const char* key : {"\"schema\"", "\"verdict\"", "\"program\"", "\"memory\"", "\"losses\"",
                          "\"cost\"", "\"findings\""}) {
    const size_t at = text.find(key);
    ASSERT_NE(at, std::string::npos) << key;
    EXPECT_GE(at, before) << key;
    before = at;
  }
}

TEST(FindingsJson, HasNoExitCodeForAProgramThatWasKilled) {
  const json program = parsed(killed_run())["program"];
  EXPECT_TRUE(program["exit"].is_null());
  EXPECT_EQ(program["signal"], 9);
}

TEST(FindingsJson, HasNoExitCodeWhileTheProgramRuns) {
  analyze::Findings findings = clean_run();
  findings.program.is_running = true;
  EXPECT_TRUE(parsed(findings)["program"]["exit"].is_null());
}

TEST(FindingsJson, ReplacesBytesThatAreNotUtf8) {
  analyze::Findings findings = leaking_run();
  findings.program.arguments = {"caf\xe9"};
  findings.losses = {{"a", "\xff"}};
  findings.findings.front().holder->text = "\xff`losses`";
  const json document = parsed(findings);
  EXPECT_EQ(document["program"]["argv"][0], "caf\uFFFD");
  EXPECT_EQ(document["losses"]["a"], "\uFFFD");
  EXPECT_EQ(document["findings"][0]["holder"]["text"], "\uFFFD`losses`");
}

TEST(FindingsJson, CutsTheHolderAtACharacter) {
  analyze::Findings findings = leaking_run();
  std::string text;
  for (int i = 0; i < 200; ++i) text += "é";
  findings.findings.front().holder->text = text;
  const std::string cut = parsed(findings)["findings"][0]["holder"]["text"];
  EXPECT_EQ(width_of(cut), 160);
  EXPECT_EQ(cut, text.substr(0, 159 * 2) + "…");
}

TEST(FindingsJson, NeverWritesWhatIsNotANumber) {
  analyze::Findings findings = leaking_run();
  const double nothing = std::numeric_limits<double>::quiet_NaN();
  findings.cost.program = nothing;
  findings.findings.front().confidence = nothing;
  findings.findings.front().bytes_per_step = nothing;
  const json document = parsed(findings);
  EXPECT_EQ(document["cost"]["time_share"], 0);
  EXPECT_EQ(document["findings"][0]["confidence"], 0);
  EXPECT_TRUE(document["findings"][0]["bytes_per_step"].is_null());
}

}  // namespace
}  // namespace tenure::report
