// analyze/python_source.h: a Python source as lines of code, with the functions, classes and loops around them: by indents,
// words and brackets, without a grammar.
// World: offline. Pure.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace tenure::analyze {

struct SourceText {
  std::string file;
  std::string text;
};

struct CodeBlock {
  size_t first = 0, end = 0;  // lines
};

class PythonSource {
 public:
  // Of a text that lives longer.
  explicit PythonSource(const SourceText& source);

  const std::string& file() const { return source_->file; }
  // Without comments, strings emptied.
  const std::vector<std::string>& lines() const { return lines_; }
  std::string_view raw_line(size_t i) const { return raw_lines_[i]; }

  // The blocks that `keyword name` begins: "def " or "class ".
  std::vector<CodeBlock> blocks_of(std::string_view keyword, std::string_view name) const;

  // The innermost function around a line, as Python calls it: `Loader.batch`, `install.<locals>.hook`; "<module>".
  std::string function_around(size_t at) const;
  // Whether a loop of the same function goes round the line.
  bool is_in_loop(size_t at) const;

 private:
  const SourceText* source_;
  std::vector<std::string> lines_;
  std::vector<std::string_view> raw_lines_;
};

std::string_view trimmed(std::string_view text);

// "def " or "class " -> the name that follows; empty if the line does not begin with it.
std::string_view name_after(std::string_view line, std::string_view keyword);

// `hook` of `install.<locals>.hook`.
std::string bare_name(std::string_view name);

// Behind the bracket that closes the one at `open`; the end of the text where none does.
size_t behind_bracket(std::string_view text, size_t open);

}  // namespace tenure::analyze
