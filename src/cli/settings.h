// cli/settings.h: what is asked of `tenure run` by command line, environment and file, and which of them counts.
// World: offline. Values; the environment is handed in.
#pragma once
#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/verbs.h"

namespace tenure::cli {

enum class SettingForm { flag, text, list };

// Named as in the file; as `--NAME` it is an option of `run`, as TENURE_NAME a variable.
struct Setting {
  std::string_view name;
  SettingForm form;
};

inline constexpr std::array kSettings = {
    Setting{"guard", SettingForm::flag},        Setting{"ignore", SettingForm::list},
    Setting{"no-source", SettingForm::flag},    Setting{"observe", SettingForm::flag},
    Setting{"quiet", SettingForm::flag},        Setting{"report", SettingForm::flag},
    Setting{"small-arrays", SettingForm::flag}, Setting{"steps", SettingForm::text}};

// Nothing: there is no such setting.
const Setting* setting_of(std::string_view name);

std::vector<std::string> setting_names();

// "TENURE_NO_SOURCE" of `no-source`.
std::string variable_of(const Setting& setting);

struct SettingValue {
  const Setting* setting;
  std::vector<std::string> texts;  // of a flag "true" or "false"; of a list each of them
  std::string origin;              // where it was asked for, in words

  bool is_on() const { return texts.size() == 1 && texts[0] == "true"; }
};

using Variables = std::function<const char*(const char* name)>;

// One value of each setting, in the order of kSettings: of `options` where the command line gave it, else of a variable, else of
// the file, else of `options` as they are without all that. An error is one sentence.
Result<std::vector<SettingValue>> effective_settings(const RunOptions& options,
                                                     const Variables& variables,
                                                     const std::vector<SettingValue>& in_file);

void apply_settings(const std::vector<SettingValue>& values, RunOptions& options);

// As it would be written in the file.
std::string written(const SettingValue& value);

}  // namespace tenure::cli
