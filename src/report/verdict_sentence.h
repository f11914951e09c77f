// report/verdict_sentence.h: the first line of a report: the verdict and its figures as sentences.
// World: offline. Pure functions.
#pragma once
#include <string>

#include "analyze/findings/findings.h"

namespace tenure::report {

// `1 leak in 214 steps. Peak 3.1 GiB at step 213. Own cost: 0.4 % of the processor time, 18 MiB.`
std::string verdict_sentence(const analyze::Findings& findings, const std::string& directory);

// For a program that a bad access has ended; empty for others, and where a finding explains it.
std::string advice_after_crash(const analyze::Findings& findings);

// What would turn an unknown verdict into a known one, as far as this run shows it.
std::string advice_when_unknown(const analyze::Findings& findings);

// The program as its user calls it: `train.py`, not the interpreter.
std::string program_name(const analyze::ProgramInfo& program);

}  // namespace tenure::report
