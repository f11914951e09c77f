// tests/unit/report/terminal_test.cpp: findings in, text out.
#include "report/terminal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <sstream>

#include "report/text.h"
#include "sample_findings.h"

namespace tenure::report {
namespace {

using analyze::Finding;
using analyze::Findings;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TerminalOptions with_record(const std::string& record) {
  TerminalOptions options;
  options.record = record;
  return options;
}

TerminalOptions for_show() {
  TerminalOptions options;
  options.has_parts = true;
  return options;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(TerminalReport, TellsALeakAsTheDesignDoes) {
  EXPECT_EQ(
      terminal_report(leaking_run(), with_record("train.tenure")),
      R"(tenure: 1 leak in 214 steps. Peak 3.1 GiB at step 213. Own cost: 0.4 % of the processor time, 18 MiB.

  1  LEAK  12.4 MiB every step, 2.6 GiB now                                     retained-autograd
     made at  train.py:42 in train()     loss = criterion(model(x), y)
     kept by  global list `losses` (train.py:17), 214 items -> Tensor.grad_fn -> saved activations
     why      every stored loss keeps the whole autograd graph of its step
     fix      store loss.item() or loss.detach()

  again: tenure show train.tenure
)");
}

TEST(TerminalReport, TellsALoneLifetimeErrorAsTheDesignDoes) {
  EXPECT_EQ(
      terminal_report(failing_run(), {}),
      R"(tenure: session #2 was closed before this use                                   closed-session
     created  serve.py:10  with tf.Session() as sess:
     closed   serve.py:14  end of that `with` block, 0.31 s earlier
     used     serve.py:21  print(sess.run(b))
     fix      move line 21 into the block, or open a new session for it
)");
}

TEST(TerminalReport, NumbersTwoLeaksAndCountsThem) {
  Findings findings = leaking_run();
  Finding second;
  second.kind = Kind::native_growth;
  second.severity = Severity::leak;
  second.where = {{"load.cc", 7, "read_batch(int)", PlaceRole::made_at, ""}};
  second.bytes_per_step = 3.0 * kKiB;
  second.bytes = 642 * kKiB;
  second.per = findings.per;
  findings.findings.push_back(second);
  const std::string text = terminal_report(findings, {});
  EXPECT_THAT(text, StartsWith("tenure: 2 leaks in 214 steps. Peak "));
  EXPECT_THAT(
      text,
      HasSubstr("\n"
                "\n"
                "  2  LEAK  3 KiB every step, 642 KiB now                                        "
                "native-growth\n"
                "     made at  load.cc:7 in read_batch(int)\n"));
}

TEST(TerminalReport, CountsErrorsAndLeaksWhenThereAreBoth) {
  Findings findings = leaking_run();
  findings.verdict = Verdict::lifetime_error;
  findings.findings.insert(findings.findings.begin(), closed_session());
  const std::string text = terminal_report(findings, {});
  EXPECT_THAT(text, StartsWith("tenure: 1 error and 1 leak in 214 steps. Peak 3.1 GiB"));
  EXPECT_THAT(text, HasSubstr("\n  1  ERROR  session #2 was closed before this use  "));
  EXPECT_THAT(text, HasSubstr("\n  2  LEAK  12.4 MiB every step"));
}

TEST(TerminalReport, TellsACleanRunInOneLine) {
  EXPECT_EQ(terminal_report(clean_run(), {}),
            "tenure: clean. Nothing material was growing. Peak 78.2 MiB. "
            "Own cost: under 0.1 % of the processor time, 4 MiB.\n");
}

TEST(TerminalReport, TellsALargeShareOfTheProcessorTimeInSecondsToo) {
  Findings findings = clean_run();
  findings.cost.program = 0.5;
  findings.cost.hooks = 0.11;
  EXPECT_THAT(terminal_report(findings, {}),
              HasSubstr("Own cost: 22 % of the processor time (0.11 s), 4 MiB."));
}

TEST(TerminalReport, CountsTheWarningsOfACleanRun) {
  Findings findings = clean_run();
  findings.steps = 1'000'000;
  Finding warning = autograd_leak();
  warning.severity = Severity::warning;
  findings.findings = {warning};
  const std::string text = terminal_report(findings, {});
  EXPECT_THAT(text, StartsWith("tenure: clean in 1,000,000 steps, 1 warning. Peak"));
  EXPECT_THAT(text, HasSubstr("\n  1  WARNING  12.4 MiB every iteration of train.py:36, 2.6 GiB "));
}

TEST(TerminalReport, TellsAFailedProgramFirst) {
  Findings clean = clean_run(), leaking = leaking_run();
  clean.program.exit_code = 3;
  leaking.program.signal = SIGABRT;
  EXPECT_THAT(terminal_report(clean, {}),
              StartsWith("tenure: the program failed with exit code 3. Until then: clean. "));
  EXPECT_THAT(
      terminal_report(leaking, {}),
      StartsWith("tenure: the program failed with SIGABRT. Until then: 1 leak in 214 steps."));
}

TEST(TerminalReport, AStopThatWasAskedForIsNoFailure) {
  Findings findings = clean_run();
  findings.program.signal = SIGTERM;
  EXPECT_THAT(terminal_report(findings, {}), StartsWith("tenure: clean until SIGTERM ended it. "));
}

TEST(TerminalReport, TellsWhenMemoryWillBeFull) {
  Findings findings = leaking_run();
  findings.findings.front().steps_till_full = 170;
  findings.findings.front().free_bytes = 2252 * kMiB;
  EXPECT_THAT(terminal_report(findings, {}),
              HasSubstr("full     after about 170 more steps: 2.2 GiB are left\n"));
}

TEST(TerminalReport, LeavesOutWhatWasNotMeasured) {
  Findings findings = clean_run();
  findings.peak_bytes = 0;
  findings.cost = {};
  EXPECT_EQ(terminal_report(findings, {}), "tenure: clean. Nothing material was growing.\n");
}

TEST(TerminalReport, SaysSoFarWhileTheProgramRuns) {
  Findings findings = leaking_run();
  findings.program.is_running = true;
  EXPECT_THAT(terminal_report(findings, {}),
              StartsWith("tenure: 1 leak in 214 steps so far. Peak"));
}

TEST(TerminalReport, GivesTheReasonOfUnknownAndWhatToDo) {
  EXPECT_EQ(terminal_report(unknown_run(), with_record("train.tenure")),
            "tenure: unknown: growth was seen over 5 steps only. Peak 90 MiB.\n"
            "  try: let it run longer; 5 steps cannot tell\n"
            "  again: tenure show train.tenure\n");
}

TEST(TerminalReport, SendsToTheDoctorWhenNothingWasSeen) {
  Findings findings = unknown_run();
  findings.reason = "the libc hook was off.";
  findings.peak_bytes = 0;
  EXPECT_EQ(terminal_report(findings, {}),
            "tenure: unknown: the libc hook was off.\n"
            "  try: `tenure doctor` tells which hooks work here\n");
}

TEST(TerminalReport, SaysWhatDiedAndWhatFilledMemory) {
  EXPECT_THAT(terminal_report(killed_run(), {}),
              StartsWith("tenure: out of memory: train.py was killed by SIGKILL after 214 steps, "
                         "with at most 3.4 GiB resident. It held 2.6 GiB made at train.py:42 in "
                         "train(), kept by global list `losses`. Peak 3.1 GiB at step 213."));
}

TEST(TerminalReport, NamesTheExceptionThatEndedAProgramOutOfMemory) {
  Findings findings = killed_run();
  findings.program.signal.reset();
  findings.program.exit_code = 1;
  findings.findings.front().error = analyze::ErrorText{"MemoryError", ""};
  EXPECT_THAT(terminal_report(findings, {}),
              StartsWith("tenure: out of memory: train.py ended with MemoryError after 214 steps"));
}

TEST(TerminalReport, OffersTheGuardAfterABadAccess) {
  for (Findings findings : {clean_run(), unknown_run()}) {
    findings.program.signal = SIGSEGV;
    EXPECT_THAT(terminal_report(findings, {}), HasSubstr("try: `tenure run --guard`"));
    findings.program.is_guarded = true;
    EXPECT_THAT(terminal_report(findings, {}), HasSubstr("try: a debugger"));
    findings.program.signal = SIGTERM;
    EXPECT_THAT(terminal_report(findings, {}), Not(HasSubstr("debugger")));
  }
}

TEST(TerminalReport, IsSilentWhenQuietAndClean) {
  TerminalOptions options;
  options.is_quiet = true;
  EXPECT_EQ(terminal_report(clean_run(), options), "");
}

TEST(TerminalReport, TellsALeakEvenWhenQuiet) {
  TerminalOptions options;
  options.is_quiet = true;
  EXPECT_THAT(terminal_report(leaking_run(), options), HasSubstr("LEAK"));
}

TEST(TerminalReport, HasNoEscapesWithoutColor) {
  EXPECT_THAT(terminal_report(leaking_run(), {}), Not(HasSubstr("\x1b")));
}

TEST(TerminalReport, SaysTheSameWordsInColor) {
  TerminalOptions options = with_record("train.tenure");
  const std::string plain = terminal_report(leaking_run(), options);
  options.has_color = true;
  std::string colored = terminal_report(leaking_run(), options);
  EXPECT_THAT(colored, HasSubstr("\x1b[1;31m  1  LEAK  \x1b[0m"));
  for (size_t at; (at = colored.find('\x1b')) != std::string::npos;) {
    colored.erase(at, colored.find('m', at) - at + 1);
  }
  EXPECT_EQ(colored, plain);
}

TEST(TerminalReport, PaintsAWarningYellow) {
  Findings findings = clean_run();
  findings.findings = {autograd_leak()};
  findings.findings.front().severity = Severity::warning;
  TerminalOptions options;
  options.has_color = true;
  EXPECT_THAT(terminal_report(findings, options), HasSubstr("\x1b[1;33m  1  WARNING  \x1b[0m"));
}

TEST(TerminalReport, CutsSourceAndBreaksSentencesAtTheWidth) {
  Findings findings = leaking_run();
  Finding& finding = findings.findings.front();
  finding.where.front().source = "loss = " + std::string(300, 'x');
  finding.why = "every stored loss keeps the whole graph, and with it all activations, of its step";
  TerminalOptions options;
  options.width = 60;
  const std::vector<std::string> lines = lines_of(terminal_report(findings, options));
  ASSERT_GT(lines.size(), 9u);
  EXPECT_EQ(lines[2], "  1  LEAK  12.4 MiB every step, 2.6     retained-autograd");
  EXPECT_EQ(lines[3], "           GiB now");
  EXPECT_EQ(lines[4], "     made at  train.py:42 in train()     loss = xxxxxxxxxxx…");
  EXPECT_EQ(lines[5], "     kept by  global list `losses` (train.py:17), 214 items");
  EXPECT_EQ(lines[6], "              -> Tensor.grad_fn -> saved activations");
  for (size_t at = 1; at < lines.size(); ++at) EXPECT_LE(width_of(lines[at]), 60) << lines[at];
}

TEST(TerminalReport, LeavesTheSourceOutWhereAPathTakesTheWholeLine) {
  Findings findings = leaking_run();
  const std::string file = "/data/" + std::string(120, 'd') + "/train.py";
  findings.findings.front().where.front().file = file;
  EXPECT_THAT(terminal_report(findings, {}),
              HasSubstr("     made at  " + file + ":42 in train()\n"));
}

TEST(TerminalReport, StartsTheSourceOfAllPlacesInOneColumn) {
  Findings findings = leaking_run();
  findings.findings.front().where.push_back(
      {"train.py", 7, "<module>", PlaceRole::kept_at, "losses = []"});
  const std::string text = terminal_report(findings, {});
  EXPECT_THAT(text, HasSubstr("     made at  train.py:42 in train()     loss = criterion"));
  EXPECT_THAT(text, HasSubstr("     kept at  train.py:7                 losses = []\n"));
}

TEST(TerminalReport, ShowsPathsBelowTheDirectoryRelative) {
  Findings findings = leaking_run();
  findings.findings.front().where.front().file = "/data/job/src/train.py";
  TerminalOptions options;
  options.directory = "/data/job";
  EXPECT_THAT(terminal_report(findings, options), HasSubstr("made at  src/train.py:42 in train()"));
}

TEST(TerminalReport, ReplacesBytesThatAreNotUtf8) {
  Findings findings = leaking_run();
  findings.findings.front().where.front().source = "name = 'caf\xe9'";
  EXPECT_THAT(terminal_report(findings, {}), HasSubstr("     name = 'caf\uFFFD'\n"));
}

TEST(TerminalReport, DoesNotLetASourceLineSteerTheTerminal) {
  Findings findings = leaking_run();
  findings.findings.front().where.front().source = "print('\x1b[2J')";
  EXPECT_THAT(terminal_report(findings, {}), HasSubstr("     print('\uFFFD[2J')\n"));
}

TEST(TerminalReport, NamesTheDeviceUnlessItIsTheCpu) {
  Findings findings = leaking_run();
  findings.findings.front().device = "GPU_0_bfc";
  EXPECT_THAT(terminal_report(findings, {}), HasSubstr("2.6 GiB now on GPU_0_bfc  "));
}

TEST(TerminalReport, UsesTheTitleWhereThereIsNoSlope) {
  Findings findings = clean_run();
  Finding note;
  note.kind = Kind::allocator_retention;
  note.title = "resident 1.2 GiB, live 300 MiB";
  note.bytes = 900 * kMiB;
  findings.findings = {note};
  EXPECT_THAT(terminal_report(findings, {}),
              HasSubstr("\n  1  NOTE  resident 1.2 GiB, live 300 MiB  "));
}

TEST(TerminalReport, ListsUpToFourLosses) {
  Findings findings = clean_run();
  findings.losses = {{"a", "one"}, {"b", "two"}, {"c", "three"}, {"d", "four"}};
  EXPECT_THAT(terminal_report(findings, {}), HasSubstr("\n  not seen: one\n  not seen: two\n"
                                                       "  not seen: three\n  not seen: four\n"));
}

TEST(TerminalReport, CountsLossesBeyondFour) {
  Findings findings = clean_run();
  findings.losses = {{"a", "one"}, {"b", "two"}, {"c", "three"}, {"d", "four"}, {"e", "five"}};
  const std::string text = terminal_report(findings, {});
  EXPECT_THAT(text, HasSubstr("  not seen: three\n  not seen: 2 things more\n"));
  EXPECT_THAT(terminal_report(findings, for_show()), HasSubstr("  not seen: five\n"));
}

TEST(TerminalReport, PointsToShowForTheTenthFindingAndLater) {
  Findings findings = leaking_run();
  findings.findings.resize(12, autograd_leak());
  EXPECT_THAT(terminal_report(findings, with_record("train.tenure")),
              HasSubstr("\n  and 3 more: tenure show train.tenure\n"));
  EXPECT_THAT(terminal_report(findings, for_show()), HasSubstr("\n 12  LEAK  12.4 MiB"));
}

TEST(TerminalReport, ShowsWhereResidentMemoryWas) {
  Findings findings = leaking_run();
  findings.parts = {310 * kMiB, 250 * kMiB, 12 * kMiB, 20 * kMiB,
                    15 * kMiB,  10 * kMiB,  0,         3 * kMiB};
  findings.program.processes = 4;
  EXPECT_THAT(terminal_report(findings, for_show()),
              HasSubstr("\n\n  Resident 310 MiB at the last look: 250 tracked, 12 other live, "
                        "20 kept by the allocator, 25 code\n  and files, 3 unknown\n"
                        "  A step is one iteration of train.py:36.\n"
                        "  4 processes were seen; resident memory and steps are of the main one. "
                        "--processes lists them.\n"));
}

TEST(TerminalReport, TellsThePeakOfAllProcessesTogether) {
  Findings findings = leaking_run();
  findings.joint_peak = {5 * kGiB, 3};
  EXPECT_THAT(terminal_report(findings, for_show()), HasSubstr(" Peak 5 GiB in 3 processes. "));
}

TEST(TerminalReport, NeverTellsAPeakBelowWhatAFindingTells) {
  Findings findings = leaking_run();
  findings.joint_peak = {5 * kGiB, 1};
  EXPECT_THAT(terminal_report(findings, for_show()), HasSubstr(" Peak 5 GiB at step 213. "));
}

TEST(TerminalReport, ShowsTheExceptionWhereNoTracebackIsNear) {
  EXPECT_THAT(terminal_report(failing_run(), for_show()),
              HasSubstr("     raised   RuntimeError: Attempted to use a closed Session.\n"));
}

TEST(TerminalReport, SurvivesEmptyFindings) {
  EXPECT_EQ(terminal_report({}, {}),
            "tenure: unknown.\n  try: `tenure doctor` tells which hooks work here\n");
}

TEST(TerminalReport, SurvivesAnEmptyFinding) {
  Findings findings = leaking_run();
  findings.findings = {Finding{}};
  EXPECT_THAT(terminal_report(findings, {}), StartsWith("tenure: leak in 214 steps."));
}

TEST(PartsLine, WritesTheUnitWhereItDiffers) {
  analyze::MemoryParts parts;
  parts.resident = 3 * kGiB;
  parts.tracked_live = 2 * kGiB;
  parts.own = 18 * kMiB;
  EXPECT_EQ(parts_line(parts), "Resident 3 GiB at the last look: 2 tracked, 18 MiB Tenure itself");
}

}  // namespace
}  // namespace tenure::report
