#include "report/place.h"

#include <filesystem>

#include "report/text.h"

namespace tenure::report {
namespace {

// A native name may bring its parameters along, a place without a name has its offset, and `<lambda>` and its like are not called by name.
bool is_bare(const std::string& name) {
  if (name.find('(') != std::string::npos || name.find("+0x") != std::string::npos) return false;
  const size_t angle = name.rfind('<');
  const bool is_nameless = angle == 0 || (angle != std::string::npos && name[angle - 1] == '.');
  return !(is_nameless && name.ends_with('>'));
}

}  // namespace

std::string shown_path(const std::string& file, const std::string& directory) {
  if (directory.empty() || !file.starts_with('/')) return printable(file);
  const std::string relative = std::filesystem::path(file).lexically_relative(directory).string();
  return printable(!relative.empty() && relative.size() < file.size() ? relative : file);
}

std::string line_text(const analyze::Place& place, const std::string& directory) {
  std::string text = shown_path(place.file, directory);
  const bool is_cell = text.starts_with("In[");
  if (!text.empty() && place.line > 0)
    text += (is_cell ? ", line " : ":") + std::to_string(place.line);
  return text;
}

std::string function_text(const analyze::Place& place) {
  const std::string name = printable(place.function);
  if (name.empty() || name == "<module>") return "";
  return " in " + name + (is_bare(name) ? "()" : "");
}

std::string place_text(const analyze::Place& place, const std::string& directory) {
  const std::string line = line_text(place, directory);
  const std::string function = function_text(place);
  return line.empty() && !function.empty() ? function.substr(4) : line + function;
}

}  // namespace tenure::report
