#include "cli/configuration.h"

#include <fmt/core.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>

#include "base/nearest_name.h"

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
    bool is_in_table = wanted.empty();
    if (is_in_table) found.file = file_;
    for (skip_blank(); !at_end(); skip_blank()) {
      if (peek() == '[') {
        const std::string table = table_name();
        is_in_table = table == wanted;
        if (is_in_table) found.file = file_;
        if (auto error = wrong_table(table, wanted)) return *error;
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

  // Of `[ tool.tenure ]`, without what surrounds it.
  std::string table_name() {
    std::string name;
    for (const char c : rest_of_line()) {
      if (kBlanks.find(c) == std::string_view::npos && c != '[' && c != ']') name += c;
    }
    return name;
  }

  // Tables of ours that would be passed over in silence.
  std::optional<Error> wrong_table(const std::string& table, const std::string& wanted) const {
    if (wanted.empty())
      return wrong(fmt::format("write the keys without a table; `[{}]` is for pyproject.toml",
                               table.empty() ? "tool.tenure" : table));
    if (table.starts_with(wanted + "."))
      return wrong(
          fmt::format("Tenure knows no table `[{}]`; its keys are all in `[{}]`", table, wanted));
    return std::nullopt;
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
    const Setting* setting = setting_of(key);
    if (!setting) return unknown(key.empty() ? rest_of_line() : key);
    for (const SettingValue& value : found.values) {
      if (value.setting == setting) return wrong(fmt::format("`{}` is there twice", key));
    }
    const int line = line_;
    while (kBlanks.find(peek()) != std::string_view::npos && !at_end()) take();
    if (peek() != '=') return wrong(fmt::format("`{}` needs `= {}`", key, form_of(*setting)));
    take();
    skip_blank();
    SettingValue value{setting, {}, fmt::format("{}, line {}", file_, line)};
    if (!read_value(value)) return wrong(fmt::format("`{}` is {}", key, form_in_words(*setting)));
    found.values.push_back(std::move(value));
    return std::nullopt;
  }

  Error unknown(const std::string& key) const {
    const std::vector<std::string> names = setting_names();
    std::string hint = did_you_mean(key, names);
    if (hint.empty()) {
      hint = "; it knows ";
      for (const std::string& name : names)
        hint += (&name == &names.front() ? "`" : ", `") + name + "`";
    }
    return wrong(fmt::format("Tenure knows no `{}`{}", key, hint));
  }

  static std::string_view form_of(const Setting& setting) {
    if (setting.form == SettingForm::flag) return "true";
    return setting.form == SettingForm::list ? "[...]" : "\"...\"";
  }
  static std::string_view form_in_words(const Setting& setting) {
    if (setting.form == SettingForm::flag) return "true or false";
    if (setting.form == SettingForm::text)
      return "a text: \"auto\", \"none\" or the name of a series";
    return "a list of texts: [\"train.py:42\", \"runner.buffer\"]";
  }

  bool read_value(SettingValue& value) {
    if (value.setting->form == SettingForm::list) return read_list(value.texts);
    std::optional<std::string> text =
        value.setting->form == SettingForm::flag ? read_flag() : read_text();
    if (text) value.texts = {*text};
    return text && !text->empty();
  }

  std::optional<std::string> read_flag() {
    for (std::string_view word : {"true", "false"}) {
      if (!has(word)) continue;
      for (size_t i = 0; i < word.size(); ++i) take();
      const bool is_whole = !std::isalnum(static_cast<unsigned char>(peek()));
      return is_whole ? std::optional(std::string(word)) : std::nullopt;
    }
    return std::nullopt;
  }

  bool read_list(std::vector<std::string>& out) {
    if (peek() != '[') return false;
    take();
    for (skip_blank(); peek() != ']'; skip_blank()) {
      std::optional<std::string> text = read_text();
      if (!text || text->empty()) return false;
      out.push_back(*text);
      skip_blank();
      if (peek() == ',')
        take();
      else if (peek() != ']')
        return false;
    }
    take();
    return true;
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
    if (auto text = text_of(shared)) {
      Result<Configuration> found = parse_configuration(*text, "tool.tenure", shared.string());
      if (!found || !found->file.empty()) return found;
    }
    if (folder == folder.parent_path()) return Configuration{};
  }
}

Result<RunOptions> with_settings(const RunOptions& typed) {
  std::error_code unknown;
  Result<Configuration> configuration =
      find_configuration(std::filesystem::current_path(unknown).string());
  if (!configuration) return configuration.error();
  auto values = effective_settings(typed, getenv, configuration->values);
  if (!values) return values.error();
  RunOptions options = typed;
  apply_settings(*values, options);
  return options;
}

}  // namespace tenure::cli
