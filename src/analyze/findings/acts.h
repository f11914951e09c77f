// analyze/findings/acts.h: which known act is against the way in which memory is kept: the recorded evidence is compared with
// the patterns of findings/known_acts.h.
// World: offline. Pure.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/findings/known_acts.h"
#include "analyze/heap/holder_links.h"

namespace tenure::analyze {

struct ActEvidence {
  Kind kind = Kind::native_growth;
  std::vector<ActGrowth> growth;
  std::vector<HolderLink> links;  // from a root to a typical block
  std::string library;            // the name of the file that asked for the block
  std::vector<std::string> made;  // native functions on the stack of its birth
};

// Whether the text is as the pattern says: * stands for anything, | separates alternatives.
bool is_like(std::string_view text, std::string_view pattern);

// Its sentence; empty: none is known.
std::string known_act(const ActEvidence& evidence);

}  // namespace tenure::analyze
