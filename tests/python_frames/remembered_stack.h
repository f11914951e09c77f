// tests/python_frames/remembered_stack.h: a stack kept up to date by PythonReader::capture_since, as the hooks keep theirs.
// For the probe and the unit tests: whatever happens between two captures, it must be what a plain capture says.
#pragma once
#include <cstring>

#include "inproc/stacks/python_frames.h"

namespace tenure::inproc {

template <int kMost>
class RememberedStack {
 public:
  // Brings the stack up to date. No heap: called inside malloc.
  void update(const PythonReader& reader) noexcept {
    SeenPythonFrame fresh[kMost];
    const PythonCapture now = reader.capture_since({frames_, depth_, &memos_}, fresh, kMost);
    for (int i = now.same; i < now.depth; i++) {
      const SeenPythonFrame& seen = fresh[now.depth - 1 - i];
      frames_[i] = {seen, &memos_.at(seen.raw.code), 0, {}};
    }
    depth_ = now.depth;
    same_ = now.same;
    is_truncated_ = now.is_truncated;
  }

  bool is(const RawPythonFrame* innermost, int depth, bool is_truncated) const noexcept {
    if (depth != depth_ || is_truncated != is_truncated_) return false;
    for (int i = 0; i < depth; i++) {
      const RawPythonFrame& ours = frames_[i].seen.raw;
      const RawPythonFrame& theirs = innermost[depth - 1 - i];
      if (ours.code != theirs.code || ours.lasti != theirs.lasti ||
          ours.fingerprint != theirs.fingerprint)
        return false;
    }
    return true;
  }

  int depth() const noexcept { return depth_; }
  int same() const noexcept { return same_; }  // outermost frames the last update found unchanged

 private:
  PlacedPythonFrame frames_[kMost] = {};  // outermost first
  int depth_ = 0, same_ = 0;
  bool is_truncated_ = false;
  CodeMemos memos_ = {};
};

}  // namespace tenure::inproc
