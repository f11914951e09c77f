#include "cli/configuration.h"

#include <fmt/core.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>

namespace tenure::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBlanks = " \t\r";

// Reads one file from its start to its end; the line is told with an error.
class TomlReader {
 public:
  TomlReader(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  // The values of the keys of one table, and nothing else of it.
  Result<Configuration> read(const std::string& wanted) {
    Configuration found;
    found.file = file_;
    bool is_in_table = wanted.empty();
    for (skip_blank(); !at_end(); skip_blank()) {
      if (peek() == '[') {
        is_in_table = rest_of_line() == "[" + wanted + "]";
      } else if (!is_in_table) {
        pass_over_value();
      } else if (auto error = read_key(found)) {
        return *error;
      }
    }
    return found;
  }

 private:
  bool at_end() const { return at_ >= text_.size(); }
  char peek() const { return at_end() ? '\0' : text_[at_]; }
  bool has(std::string_view word) const { return text_.substr(at_).starts_with(word); }
  void take() { line_ += text_[at_++] == '\n'; }

  // Blanks, line ends and comments.
  void skip_blank() {
    while (!at_end()) {
      if (peek() == '#') {
        while (!at_end() && peek() != '\n') take();
      } else if (peek() == '\n' || kBlanks.find(peek()) != std::string_view::npos) {
        take();
      } else {
        return;
      }
    }
  }

  // Without blanks and comment.
  std::string rest_of_line() {
    std::string rest;
    for (; !at_end() && peek() != '\n' && peek() != '#'; take()) rest += peek();
    while (!rest.empty() && kBlanks.find(rest.back()) != std::string_view::npos) rest.pop_back();
    return rest;
  }

  // Of another table: texts may hold anything, over several lines.
  void pass_over_value() {
    while (!at_end() && peek() != '\n' && peek() != '#') {
      if (peek() == '"' || peek() == '\'')
        pass_over_text();
      else
        take();
    }
  }
  void pass_over_text() {
    const char quote = peek();
    const std::string three(3, quote), end = has(three) ? three : three.substr(0, 1);
    for (size_t i = 0; i < end.size(); ++i) take();
    while (!at_end() && !has(end) && (end.size() == 3 || peek() != '\n')) {
      if (quote == '"' && peek() == '\\') take();
      if (!at_end()) take();
    }
    for (size_t i = 0; i < end.size() && !at_end(); ++i) take();
  }

  std::optional<Error> read_key(Configuration& found) {
    std::string key;
    while (!at_end() &&
           (std::isalnum(static_cast<unsigned char>(peek())) || peek() == '_' || peek() == '-')) {
      key += peek();
      take();
    }
    if (key != "ignore") {
      const std::string what = key.empty() ? rest_of_line() : key;
      return wrong(fmt::format("Tenure knows no `{}`; it knows `ignore`", what));
    }
    while (kBlanks.find(peek()) != std::string_view::npos && !at_end()) take();
    if (peek() != '=') return wrong("`ignore` needs `= [...]`");
    take();
    skip_blank();
    return read_list(found.ignore);
  }

  std::optional<Error> read_list(std::vector<std::string>& out) {
    constexpr const char* kForm =
        "`ignore` is a list of texts: [\"train.py:42\", \"runner.buffer\"]";
    if (peek() != '[') return wrong(kForm);
    take();
    for (skip_blank(); peek() != ']'; skip_blank()) {
      std::optional<std::string> text = read_text();
      if (!text || text->empty()) return wrong(kForm);
      out.push_back(*text);
      skip_blank();
      if (peek() == ',')
        take();
      else if (peek() != ']')
        return wrong(kForm);
    }
    take();
    return std::nullopt;
  }

  std::optional<std::string> read_text() {
    const char quote = peek();
    if (quote != '"' && quote != '\'') return std::nullopt;
    std::string text;
    for (take(); !at_end() && peek() != quote; take()) {
      if (peek() == '\n') return std::nullopt;
      if (quote == '"' && peek() == '\\') take();
      if (!at_end()) text += peek();
    }
    if (at_end()) return std::nullopt;
    take();
    return text;
  }

  Error wrong(const std::string& what) const {
    return {fmt::format("{}, line {}: {}", file_, line_, what), 2};
  }

  std::string_view text_;
  std::string file_;
  size_t at_ = 0;
  int line_ = 1;
};

std::optional<std::string> text_of(const fs::path& path) {
  std::error_code failure;
  if (!fs::is_regular_file(path, failure)) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return file ? std::optional(text.str()) : std::nullopt;
}

}  // namespace

Result<Configuration> parse_configuration(const std::string& text, const std::string& table,
                                          const std::string& file) {
  return TomlReader(text, file).read(table);
}

Result<Configuration> find_configuration(const std::string& directory) {
  for (fs::path folder = directory;; folder = folder.parent_path()) {
    const fs::path own = folder / "tenure.toml", shared = folder / "pyproject.toml";
    if (auto text = text_of(own)) return parse_configuration(*text, "", own.string());
    auto text = text_of(shared);
    if (text && text->find("[tool.tenure]") != std::string::npos)
      return parse_configuration(*text, "tool.tenure", shared.string());
    if (folder == folder.parent_path()) return Configuration{};
  }
}

}  // namespace tenure::cli
