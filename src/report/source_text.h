// report/source_text.h: the text of the lines that findings name, and words that only the text gives.
// World: offline. Never changes a verdict or a figure: without the text some words are missing, nothing else.
#pragma once
#include "analyze/findings/findings.h"
#include "analyze/page/page.h"
#include "analyze/since/made_since.h"
#include "record/sources.h"

namespace tenure::report {

// Fills in every place's `source`, completes the sentence about the ending, names the owner of a freed block, and says once
// when text was left out or a file has changed.
void add_source_text(record::Sources& sources, analyze::Findings& findings);

// The same for the lines of the page, as far as their births are shown.
void add_source_text(record::Sources& sources, analyze::Page& page);

void add_source_text(record::Sources& sources, analyze::MadeSince& since);

// `x` of "x = ..." and "x += ..."; empty where the line assigns something else.
std::string assigned_name(const std::string& line);

}  // namespace tenure::report
