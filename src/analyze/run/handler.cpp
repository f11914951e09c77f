#include "analyze/run/handler.h"

#include "base/sentence_writer.h"
#include "base/short_place.h"
#include "base/source_path.h"

namespace tenure::analyze {
namespace {

// "Server.handle.<locals>.answer" is what people call answer().
std::string plain_name(const std::string& function) {
  size_t inner = function.rfind("<locals>.");
  return inner == std::string::npos ? function : function.substr(inner + 9);
}

}  // namespace

std::optional<Handler> handler_of(Frames& frames, StackId stack) {
  const std::vector<ReadableFrame>& all = frames.of(stack);
  bool is_in_library = false;
  for (size_t i = all.size(); i-- > 0;) {
    const ReadableFrame& frame = all[i];
    if (!frame.is_python) return std::nullopt;
    if (is_importlib(frame.file)) {  // runs a module's code, once
      is_in_library = false;
      continue;
    }
    if (frame.is_user && is_in_library)
      return Handler{plain_name(frame.function), frame.file, frame.line,
                     frames.ledger().stack(frame.node).depth};
    is_in_library |= !frame.is_user;
  }
  return std::nullopt;
}

std::string call_of(const Handler& handler) {
  return sentence("per.call", {{"function", handler.function},
                               {"line", short_place(handler.file, handler.line)}});
}

}  // namespace tenure::analyze
