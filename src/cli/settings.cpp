#include "cli/settings.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

namespace tenure::cli {
namespace {

const SettingValue* value_of(const std::vector<SettingValue>& values, const Setting& setting) {
  auto at = std::find_if(values.begin(), values.end(),
                         [&](const SettingValue& value) { return value.setting == &setting; });
  return at == values.end() ? nullptr : &*at;
}

std::vector<std::string> split_at_commas(const std::string& text) {
  std::vector<std::string> parts;
  for (size_t at = 0; at <= text.size();) {
    const size_t comma = std::min(text.find(',', at), text.size());
    const size_t first = text.find_first_not_of(' ', at);
    if (first < comma) {
      const size_t last = text.find_last_not_of(' ', comma - 1);
      parts.push_back(text.substr(first, last + 1 - first));
    }
    at = comma + 1;
  }
  return parts;
}

// "true" or "false"; nothing: neither is meant.
std::optional<std::string> flag_of(std::string word) {
  for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (word == "1" || word == "true" || word == "yes" || word == "on") return "true";
  if (word == "0" || word == "false" || word == "no" || word == "off") return "false";
  return std::nullopt;
}

// A variable that is there and empty asks for nothing.
Result<SettingValue> in_variable(const Setting& setting, const std::string& name,
                                 const std::string& text) {
  if (setting.form == SettingForm::text) return SettingValue{&setting, {text}, name};
  if (setting.form == SettingForm::list) return SettingValue{&setting, split_at_commas(text), name};
  if (auto flag = flag_of(text)) return SettingValue{&setting, {*flag}, name};
  return Error{fmt::format("the variable {} is `{}`; set it to 1 or 0", name, text), 2};
}

std::vector<std::string>* texts_of(std::string_view name, RunOptions& options) {
  return name == "ignore" ? &options.ignore : nullptr;
}

bool* flag_of(std::string_view name, RunOptions& options) {
  if (name == "guard") return &options.is_guarding;
  if (name == "no-source") return &options.drops_source;
  if (name == "observe") return &options.is_observing;
  if (name == "quiet") return &options.is_quiet;
  if (name == "report") return &options.has_page;
  return name == "small-arrays" ? &options.counts_small_arrays : nullptr;
}

SettingValue value_in(RunOptions options, const Setting& setting, const std::string& origin) {
  SettingValue value{&setting, {}, origin};
  if (const bool* flag = flag_of(setting.name, options))
    value.texts = {*flag ? "true" : "false"};
  else if (const auto* texts = texts_of(setting.name, options))
    value.texts = *texts;
  else
    value.texts = {options.steps};
  return value;
}

bool is_typed(const RunOptions& options, const Setting& setting) {
  return std::find(options.typed.begin(), options.typed.end(), setting.name) != options.typed.end();
}

}  // namespace

const Setting* setting_of(std::string_view name) {
  auto at = std::find_if(kSettings.begin(), kSettings.end(),
                         [&](const Setting& setting) { return setting.name == name; });
  return at == kSettings.end() ? nullptr : &*at;
}

std::vector<std::string> setting_names() {
  std::vector<std::string> names;
  for (const Setting& setting : kSettings) names.emplace_back(setting.name);
  return names;
}

std::string variable_of(const Setting& setting) {
  std::string name = "TENURE_";
  for (char c : setting.name)
    name += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

Result<std::vector<SettingValue>> effective_settings(const RunOptions& options,
                                                     const Variables& variables,
                                                     const std::vector<SettingValue>& in_file) {
  std::vector<SettingValue> values;
  for (const Setting& setting : kSettings) {
    const std::string name = variable_of(setting);
    const char* variable = variables(name.c_str());
    if (is_typed(options, setting)) {
      values.push_back(value_in(options, setting, "command line"));
    } else if (variable && *variable) {
      Result<SettingValue> asked = in_variable(setting, name, variable);
      if (!asked) return asked.error();
      values.push_back(*asked);
    } else if (const SettingValue* written_down = value_of(in_file, setting)) {
      values.push_back(*written_down);
    } else {
      values.push_back(value_in(options, setting, "default"));
    }
  }
  return values;
}

void apply_settings(const std::vector<SettingValue>& values, RunOptions& options) {
  for (const SettingValue& value : values) {
    if (bool* flag = flag_of(value.setting->name, options))
      *flag = value.is_on();
    else if (auto* texts = texts_of(value.setting->name, options))
      *texts = value.texts;
    else if (!value.texts.empty())
      options.steps = value.texts[0];
  }
}

std::string written(const SettingValue& value) {
  if (value.setting->form == SettingForm::flag) return value.texts.empty() ? "" : value.texts[0];
  std::string list;
  for (const std::string& text : value.texts) list += (list.empty() ? "\"" : ", \"") + text + "\"";
  return value.setting->form == SettingForm::list ? "[" + list + "]" : list;
}

}  // namespace tenure::cli
