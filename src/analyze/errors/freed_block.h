// analyze/errors/freed_block.h: a freed block that was used, by the lines that differ.
// World: offline.
#pragma once
#include "analyze/errors/errors.h"
#include "analyze/run/frames.h"

namespace tenure::analyze {

bool is_of_freed_block(const ledger::Reader& ledger, const ledger::LifetimeError& told);

// Where it was freed and where it was used. One function may do both: then the lines that called it are told.
void tell_places_apart(Frames& frames, const ledger::LifetimeError& told, LifetimeError& error);

}  // namespace tenure::analyze
