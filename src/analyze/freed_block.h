// analyze/freed_block.h: a freed block that was used, in the user's own words: the name it had, and the lines that differ.
// World: offline.
#pragma once
#include "analyze/findings.h"
#include "analyze/frames.h"

namespace tenure::analyze {

bool is_of_freed_block(const ledger::Reader& ledger, const ledger::Story& story);

// Where it was freed and where it was used. One function may do both: then the lines that called it are told.
void tell_places_apart(Frames& frames, const ledger::Story& story, Finding& finding);

// The fix by the name that the block's owner had where it was made.
void name_owner(Finding& finding);

}  // namespace tenure::analyze
