// report/since.h: what was made since a mark and is still there: a sentence and a table, and the same as data.
// World: offline. Pure functions.
#pragma once
#include <string>

#include "analyze/since/made_since.h"

namespace tenure::report {

struct SinceOptions {
  bool has_color = false;
  int width = 100;
  std::string directory;  // the current one: paths are shown relative to it where that is shorter
};

// `In[3] left 27.5 MiB behind, in 51 blocks. Its peak was 31 MiB above its start.`
std::string since_sentence(const analyze::MadeSince& since);

// The sentence and a row for each line, with who keeps what it left. Ends with a newline.
std::string since_text(const analyze::MadeSince& since, const SinceOptions& options);

// The contract `tenure-since/1` (docs/since.schema.json): the sentence, the text, and every row with its words. Indented, no
// newline at the end.
std::string since_json(const analyze::MadeSince& since, const SinceOptions& options);

}  // namespace tenure::report
