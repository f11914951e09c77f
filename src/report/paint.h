// report/paint.h: the few colours of the terminal; with colours off the text comes back as it is.
// World: offline. Paint last: widths are counted on plain text.
#pragma once
#include <string>

#include "analyze/findings/findings.h"

namespace tenure::report {

class Paint {
 public:
  explicit Paint(bool is_on) : is_on_(is_on) {}

  std::string bold(const std::string& text) const { return in("1", text); }
  std::string dim(const std::string& text) const { return in("2", text); }
  std::string red(const std::string& text) const { return in("1;31", text); }
  std::string yellow(const std::string& text) const { return in("1;33", text); }

  // Red is kept for what changes the verdict.
  std::string as(Severity severity, const std::string& text) const {
    switch (severity) {
      case Severity::error:
      case Severity::leak:
        return red(text);
      case Severity::warning:
        return yellow(text);
      case Severity::note:
      case Severity::accepted:
        return dim(text);
    }
    return text;
  }

 private:
  std::string in(const char* code, const std::string& text) const {
    return is_on_ && !text.empty() ? "\x1b[" + std::string(code) + "m" + text + "\x1b[0m" : text;
  }
  bool is_on_;
};

}  // namespace tenure::report
