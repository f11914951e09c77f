// analyze/run/place.h: a line of the program as people are told it, and the user's lines of a stack.
// World: offline. Values.
#pragma once
#include <string>
#include <vector>

#include "analyze/run/frames.h"
#include "base/vocabulary.h"

namespace tenure::analyze {

// A line the user can open. The role says why it is named.
struct Place {
  std::string file;
  int line = 0;
  std::string function;
  PlaceRole role = PlaceRole::made_at;
  std::string source;  // the text of the line; empty until report/source_text.h fills it in
};

Place place_of(const ReadableFrame& frame, PlaceRole role);

bool has_place(const std::vector<Place>& places, const std::string& file, int line);
bool is_same_line(const ReadableFrame* a, const ReadableFrame* b);

// The user's frames from the inside out, one per function: where it was made, and who asked for it.
std::vector<const ReadableFrame*> user_frames(Frames& frames, StackId stack);

}  // namespace tenure::analyze
