// analyze/since/made_since.h: what was made in a marked stretch and is still there: by line, with who keeps it. A fact, no
// judgement: one run of a cell cannot show a leak.
// World: offline. Pure over a record.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "analyze/run/place.h"
#include "record/record.h"

namespace tenure::analyze {

struct SinceHolder {
  std::string text;  // a sentence
  uint64_t bytes = 0;
};

// Blocks of one line of the user's, asked for by the same line further out.
struct SinceLine {
  std::vector<Place>
      where;  // made at; then the outermost line that asked for it, if that is another
  uint64_t bytes = 0;
  uint64_t count = 0;
  bool is_estimated = false;
  bool has_arenas = false;           // small Python objects, by the memory they lie in
  std::vector<SinceHolder> holders;  // most bytes first; empty: nobody is known
  std::string fix;  // a sentence: how the first of them lets go; empty: none follows
};

struct MadeSince {
  std::string mark;
  bool has_ended = false;  // the stretch: else it is told up to now
  uint64_t bytes = 0;      // of all lines
  uint64_t count = 0;
  bool is_estimated = false;
  uint64_t elsewhere_bytes = 0;  // made meanwhile by no line of the user's
  uint64_t released_bytes = 0;   // of what was there before
  uint64_t peak_rise = 0;
  bool has_snapshot = false;                  // else nobody can be said to keep anything
  std::vector<SinceLine> lines;               // most bytes first
  uint64_t other_lines = 0, other_bytes = 0;  // too little for a row
};

// Of the process `pid`, 0: the main one. Nothing where it has no such mark.
std::optional<MadeSince> made_since(const record::Record& record, const std::string& mark, int pid);

}  // namespace tenure::analyze
