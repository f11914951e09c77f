#include "report/sentences.h"

#include <charconv>
#include <unordered_map>

#include "base/sentence.h"
#include "base/sentence_reader.h"
#include "report/bytes.h"
#include "report/text.h"
#include "report/texts/texts.h"

namespace tenure::report {
namespace {

constexpr size_t kHolderCharacters = 160;
constexpr std::string_view kAsBytes = ":bytes";
constexpr std::string_view kAsNumber = ":number";
constexpr int kDeepest = 8;  // sentences in sentences: more are damage

using Texts = std::unordered_map<std::string_view, const SentenceText*>;

const Texts& all_texts() {
  static const Texts texts = [] {
    Texts found;
    for (SentenceTexts table :
         {python_texts(), tensorflow_texts(), torch_texts(), jax_texts(), native_texts(),
          growth_texts(), holder_texts(), act_texts(), ending_texts(), loss_texts()}) {
      for (const SentenceText& row : table) found.emplace(row.code, &row);
    }
    return found;
  }();
  return texts;
}

std::string rendered_at(std::string_view text, int depth);

// A code this version has no text for: nothing that was sent with it gets lost.
std::string parameters_only(const SentenceParts& parts, int depth) {
  std::string shown;
  for (const SentenceParameter& parameter : parts.parameters)
    shown += (shown.empty() ? "" : ", ") + rendered_at(parameter.value, depth);
  return shown.empty() ? rendered_at(parts.code, depth) : shown;
}

// A value that is no number is shown as it is.
std::string shown_bytes(std::string_view value) {
  uint64_t bytes = 0;
  auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), bytes);
  bool is_number = error == std::errc{} && end == value.data() + value.size();
  return is_number ? human_bytes(bytes) : std::string(value);
}

// "57,000"
std::string shown_number(std::string_view value) {
  std::string shown(value);
  for (size_t at = shown.size(); at > 3; at -= 3) shown.insert(at - 3, ",");
  return shown;
}

std::string filled_in(std::string_view text, const SentenceParts& parts, int depth,
                      bool has_optional) {
  std::string filled;
  for (size_t open = text.find('{'); open != std::string_view::npos; open = text.find('{')) {
    size_t close = text.find('}', open);
    std::string_view name = text.substr(open + 1, close - open - 1);
    bool is_optional = name.ends_with('?');
    if (is_optional) name.remove_suffix(1);
    bool is_bytes = name.ends_with(kAsBytes);
    if (is_bytes) name.remove_suffix(kAsBytes.size());
    bool is_number = name.ends_with(kAsNumber);
    if (is_number) name.remove_suffix(kAsNumber.size());
    filled += text.substr(0, open);
    if (has_optional || !is_optional)
      filled += is_bytes    ? shown_bytes(parts[name])
                : is_number ? shown_number(parts[name])
                            : rendered_at(parts[name], depth);
    text.remove_prefix(close + 1);
  }
  return filled += text;
}

std::string sentence_text(const SentenceParts& parts, int depth) {
  auto known = all_texts().find(parts.code);
  if (known == all_texts().end()) return parameters_only(parts, depth);
  const SentenceText& row = *known->second;
  std::string text = filled_in(row.text, parts, depth, true);
  if (row.most_bytes == 0 || text.size() <= row.most_bytes) return text;
  return cut_bytes(filled_in(row.text, parts, depth, false), row.most_bytes);
}

std::string rendered_at(std::string_view text, int depth) {
  std::string out;
  while (depth < kDeepest) {
    size_t begin = text.find(kSentenceBegin);
    out += text.substr(0, begin);
    if (begin == std::string_view::npos) return out;
    SentenceParts parts = read_sentence(text.substr(begin));
    out += sentence_text(parts, depth + 1);
    text.remove_prefix(begin + parts.size);
  }
  return out;
}

// Whether it says what the user calls the thing: adapters send that as `name`.
bool names_something(std::string_view text) { return !read_sentence(text)["name"].empty(); }

}  // namespace

std::string rendered(std::string_view text) { return rendered_at(text, 0); }

std::string holder_text(const analyze::Holder& holder) {
  std::string text = rendered(holder.text);
  if (!holder.keeper.empty()) {
    std::string keeper = rendered(holder.keeper);
    std::string both = text + ", kept by " + keeper;
    if (both.size() <= kHolderCharacters) return both;
    if (!names_something(holder.text)) text = keeper;
  }
  return cut_characters(valid_utf8(text), kHolderCharacters);
}

}  // namespace tenure::report
