#include "base/sentence_reader.h"

#include "base/sentence.h"

namespace tenure {
namespace {

// Where the part that begins at `at` ends: at the next separator or end that belongs to no inner sentence.
size_t end_of_part(std::string_view text, size_t at) {
  size_t inner = 0;
  for (; at < text.size(); ++at) {
    if (text[at] == kSentenceBegin) ++inner;
    if (inner == 0 && is_sentence_byte(text[at])) break;
    if (text[at] == kSentenceEnd) --inner;
  }
  return at;
}

SentenceParameter parameter_in(std::string_view part) {
  size_t sign = part.find('=');
  if (sign == std::string_view::npos) return {"", part};
  return {part.substr(0, sign), part.substr(sign + 1)};
}

}  // namespace

std::string_view SentenceParts::operator[](std::string_view name) const {
  for (const SentenceParameter& parameter : parameters) {
    if (parameter.name == name) return parameter.value;
  }
  return {};
}

SentenceParts read_sentence(std::string_view text) {
  SentenceParts parts;
  if (text.empty() || text[0] != kSentenceBegin) return parts;
  size_t end = end_of_part(text, 1);
  parts.code = text.substr(1, end - 1);
  while (end < text.size() && text[end] == kSentenceNext) {
    size_t start = end + 1;
    end = end_of_part(text, start);
    parts.parameters.push_back(parameter_in(text.substr(start, end - start)));
  }
  parts.size = end < text.size() ? end + 1 : end;
  return parts;
}

std::string_view code_in(std::string_view text) {
  return text.starts_with(kSentenceBegin) ? read_sentence(text).code : text;
}

}  // namespace tenure
