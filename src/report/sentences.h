// report/sentences.h: makes English of sentences that arrive as codes and parameters (base/sentence.h).
// World: offline. Pure; the texts are in report/texts.
#pragma once
#include <string>
#include <string_view>

#include "analyze/findings/findings.h"

namespace tenure::report {

// The text with each sentence in it as English. Of one whose code is not known the parameters are shown.
std::string rendered(std::string_view text);

// Who holds it, and who keeps that one where both fit: at most 160 characters.
std::string holder_text(const analyze::Holder& holder);

}  // namespace tenure::report
