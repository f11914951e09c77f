#include "analyze/run/place.h"

#include <algorithm>

namespace tenure::analyze {

Place place_of(const ReadableFrame& frame, PlaceRole role) {
  return {frame.file, frame.line, frame.function, role, ""};
}

bool has_place(const std::vector<Place>& places, const std::string& file, int line) {
  return std::any_of(places.begin(), places.end(),
                     [&](const Place& p) { return p.file == file && p.line == line; });
}

bool is_same_line(const ReadableFrame* a, const ReadableFrame* b) {
  return a && b && a->file == b->file && a->line == b->line;
}

std::vector<const ReadableFrame*> user_frames(Frames& frames, StackId stack) {
  std::vector<const ReadableFrame*> found;
  for (const ReadableFrame& frame : frames.of(stack)) {
    if (frame.is_user && (found.empty() || found.back()->function != frame.function))
      found.push_back(&frame);
  }
  if (found.empty()) {
    if (const ReadableFrame* frame = frames.user_frame(stack)) found.push_back(frame);
  }
  return found;
}

}  // namespace tenure::analyze
