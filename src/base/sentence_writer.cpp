#include "base/sentence_writer.h"

#include "base/sentence.h"

namespace tenure {
namespace {

// As many ends as begins; what separates nothing becomes a space.
void append_balanced(std::string_view text, std::string& out) {
  size_t open = 0;
  for (char byte : text) {
    bool is_stray = open == 0 && (byte == kSentenceEnd || byte == kSentenceNext);
    out += is_stray ? ' ' : byte;
    if (byte == kSentenceBegin) ++open;
    if (byte == kSentenceEnd && open > 0) --open;
  }
  out.append(open, kSentenceEnd);
}

}  // namespace

std::string sentence(std::string_view code, std::initializer_list<SentenceArgument> arguments) {
  std::string text(1, kSentenceBegin);
  text += code;
  for (const SentenceArgument& argument : arguments) {
    if (argument.value.empty()) continue;
    text += kSentenceNext;
    text.append(argument.name).append("=");
    append_balanced(argument.value, text);
  }
  return text += kSentenceEnd;
}

}  // namespace tenure
