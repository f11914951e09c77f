// symbolize/source_text.h: the text of a source file, read to find the keyword of a loop. Debug information has no line for
// `while (true) {`, and names only the test of a `for` that spans several lines.
// World: offline. Read once, then only looked at.
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace tenure::symbolize {

class SourceText {
 public:
  explicit SourceText(const std::string& text);

  // Nothing if the file is missing, or changed after `built_file` was made from it: its lines may have moved.
  static std::optional<SourceText> read_unchanged(const std::string& path,
                                                  const std::string& built_file);

  // Lines count from 1. True for a line with `for`, `while` or `do`.
  bool has_loop_keyword(int line) const;

  // The nearest line above `line`, not above `first`, whose loop encloses it. 0 if there is none. Goes by braces and
  // parentheses, so that loops that ended before `line` are passed over.
  int enclosing_loop(int line, int first) const;

 private:
  std::string code_of(int line) const;

  std::vector<std::string> lines_;
};

}  // namespace tenure::symbolize
