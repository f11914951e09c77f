// tests/unit/report/source_text_test.cpp: the words that come from the text of a line, and what is said without it.
#include "report/source_text.h"

#include <gtest/gtest.h>

namespace tenure::report {
namespace {

using analyze::Finding;
using analyze::Findings;

record::Sources sources_with(const std::string& text) {
  record::SourceAnswers answers;
  answers.files["train.py"].state = record::SourceState::read;
  answers.lines[{"train.py", 12}] = text;
  return record::Sources(std::move(answers));
}

Findings findings_at(Kind kind, PlaceRole role) {
  Findings findings;
  Finding finding;
  finding.kind = kind;
  finding.where = {{"train.py", 12, "train", role, ""}};
  findings.findings = {finding};
  return findings;
}

TEST(SourceText, IsFilledIntoEveryPlace) {
  record::Sources sources = sources_with("losses.append(loss)");
  Findings findings = findings_at(Kind::retained_python, PlaceRole::made_at);
  add_source_text(sources, findings);
  EXPECT_EQ(findings.findings[0].where[0].source, "losses.append(loss)");
  EXPECT_TRUE(findings.losses.empty());
}

TEST(SourceText, CompletesTheSentenceAboutAnInterruption) {
  record::Sources sources = sources_with("queue.get()");
  Findings findings;
  findings.ending = "Interrupted at train.py:12.";
  findings.ended_at = analyze::Place{"train.py", 12, "train", PlaceRole::used, ""};
  add_source_text(sources, findings);
  EXPECT_EQ(findings.ending, "Interrupted at train.py:12, waiting in: queue.get().");
}

TEST(SourceText, NamesTheOwnerOfAFreedBlock) {
  record::Sources sources = sources_with("levels = np.full(20_000, 0.5)");
  Findings findings = findings_at(Kind::use_after_free, PlaceRole::created);
  add_source_text(sources, findings);
  EXPECT_EQ(findings.findings[0].fix.rfind("keep `levels` of line 12 alive", 0), 0u);
}

TEST(SourceText, ThatWasLeftOutIsSaidOnce) {
  record::SourceAnswers answers;
  answers.has_text = false;
  record::Sources sources(std::move(answers));
  Findings findings = findings_at(Kind::use_after_free, PlaceRole::created);
  add_source_text(sources, findings);
  EXPECT_EQ(findings.findings[0].where[0].source, "");
  EXPECT_EQ(findings.findings[0].fix, "");
  EXPECT_EQ(findings.losses["source"], "source text was left out (--no-source)");
}

TEST(SourceText, OfAFileThatChangedIsSaidToBeMissing) {
  record::SourceAnswers answers;
  answers.files["train.py"].state = record::SourceState::changed;
  answers.files["other.py"].state = record::SourceState::changed;  // no finding names it
  record::Sources sources(std::move(answers));
  Findings findings = findings_at(Kind::retained_python, PlaceRole::made_at);
  add_source_text(sources, findings);
  EXPECT_EQ(findings.losses["source"],
            "train.py changed while the program ran: lines are shown without their text");
}

TEST(AssignedName, IsTheVariableOfAnAssignment) {
  EXPECT_EQ(assigned_name("x = f(y)"), "x");
  EXPECT_EQ(assigned_name("total += x"), "total");
  for (const char* other : {"", "x == y", "x.y = 1", "x[0] = 1", "f(x = 1)", "return x", "1 = x"})
    EXPECT_EQ(assigned_name(other), "") << other;
}

}  // namespace
}  // namespace tenure::report
