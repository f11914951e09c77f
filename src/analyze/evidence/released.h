// analyze/evidence/released.h: what a line has made and let go again: the evidence against growth.
// World: offline. Pure functions over the candidates of a line.
#pragma once
#include "analyze/evidence/site_evidence.h"

namespace tenure::analyze {

// What sites of the line had piled up over several steps, and then freed.
double released_bytes(const Units& units, const std::vector<SiteEvidence>& members,
                      const Unit& growths);

// Older blocks of the line are gone, only some from the end are left (`kept`: what grows): a bounded buffer, or what
// waits for the collector. Where the line held next to nothing before, there was no buffer: it began to keep late.
// Measured in steps where they are known: a first step that compiles makes more blocks than all others.
bool has_only_newest(const std::vector<SiteEvidence>& members,
                     const std::vector<const SiteHistory*>& kept, const Unit& unit);

// Samples of a full buffer rise and fall by chance. Whether these are such: nearly all that ended are the oldest, and they
// rose by no more than chance explains.
bool is_full_buffer_of_samples(const std::vector<SiteEvidence>& members);

}  // namespace tenure::analyze
