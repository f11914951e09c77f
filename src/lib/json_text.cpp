#include "lib/json_text.h"

#include <array>
#include <cstdio>

namespace tenure::lib {

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (static_cast<unsigned char>(c) < 0x20) {
      std::array<char, 8> code{};
      std::snprintf(code.data(), code.size(), "\\u%04x", static_cast<unsigned>(c));
      out += code.data();
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string to_json(const Event& event) {
  std::string out = "{\"file\":" + quoted(event.file) + ",\"line\":" + std::to_string(event.line) +
                    ",\"function\":" + quoted(event.function) + ",\"by\":" + quoted(event.by);
  if (!event.stack.empty()) {
    out += ",\"stack\":[";
    for (const std::string& frame : event.stack) {
      if (&frame != &event.stack.front()) out += ',';
      out += quoted(frame);
    }
    out += ']';
  }
  return out + "}";
}

}  // namespace tenure::lib
