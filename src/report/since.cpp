#include "report/since.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/bytes.h"
#include "report/paint.h"
#include "report/place.h"
#include "report/sentences.h"
#include "report/text.h"

namespace tenure::report {
namespace {

using analyze::MadeSince;
using analyze::SinceHolder;
using analyze::SinceLine;
using Json = nlohmann::ordered_json;

constexpr uint64_t kWorthAWord = 64 << 10;  // bytes of what is said beside what was left
constexpr int kBytesWidth = 10, kBlocksWidth = 8;
constexpr int kIndent = 2 + kBytesWidth + 2 + kBlocksWidth + 2;
constexpr int kSmallestRoom = 24;

std::string about(bool is_estimated) { return is_estimated ? "about " : ""; }

std::string left_words(const MadeSince& since) {
  if (since.bytes == 0) return "left nothing behind";
  const std::string bytes = about(since.is_estimated) + human_bytes(since.bytes);
  if (since.lines.empty()) return "left next to nothing behind: " + bytes;
  return fmt::format("left {} behind, in {}", bytes,
                     about(since.is_estimated) + counted(since.count, "block"));
}

std::string figures(const std::string& bytes, const std::string& blocks) {
  return "  " + right_aligned(bytes, kBytesWidth) + "  " + right_aligned(blocks, kBlocksWidth) +
         "  ";
}

std::string kept_words(const SinceLine& line) {
  std::string words;
  for (const SinceHolder& holder : line.holders) {
    words += (words.empty() ? "" : "; ") + rendered(holder.text);
    if (line.holders.size() > 1) words += fmt::format(" ({})", human_bytes(holder.bytes));
  }
  return words;
}

// The row's own line is the one of the stretch that asked for it; where it was made, if that is elsewhere, stands below.
const analyze::Place& asking_place(const SinceLine& line) { return line.where.back(); }

std::string made_words(const SinceLine& line, const std::string& directory) {
  return line.where.size() > 1 ? place_text(line.where.front(), directory) : "";
}

std::string note_words(const SinceLine& line) {
  return line.has_arenas ? "small Python objects, by the memory they lie in" : "";
}

std::string below(const std::string& label, const std::string& words, int room) {
  std::string rows;
  if (words.empty()) return rows;
  for (const std::string& part : wrapped(printable(label + words), room))
    rows += padded("", kIndent) + part + "\n";
  return rows;
}

std::string row_text(const SinceLine& line, const SinceOptions& options) {
  const int room = std::max(options.width - kIndent, kSmallestRoom);
  const analyze::Place& place = asking_place(line);
  std::string head = place_text(place, options.directory);
  const std::string source = printable(place.source);
  if (!source.empty()) head = cut(head + "   " + source, room);
  std::string text = figures(human_bytes(line.bytes), human_count(line.count)) + head + "\n";
  text += below("made at ", made_words(line, options.directory), room);
  text += below("", note_words(line), room);
  text += below("kept by ", kept_words(line), room);
  text += below("fix: ", rendered(line.fix), room);
  return text;
}

std::string rest_words(const MadeSince& since) {
  if (since.other_lines == 0) return "";
  return fmt::format("{} in {} that left little each", human_bytes(since.other_bytes),
                     counted(since.other_lines, "line"));
}

std::string unknown_holders(const MadeSince& since) {
  if (since.has_snapshot || since.lines.empty()) return "";
  return "who keeps it is not known: no snapshot was taken behind it";
}

Json place_json(const analyze::Place& place, const std::string& directory) {
  return {{"file", place.file},
          {"line", place.line},
          {"function", place.function},
          {"text", place_text(place, directory)},
          {"source", valid_utf8(place.source)}};
}

Json line_json(const SinceLine& line, const SinceOptions& options) {
  Json where = Json::array(), holders = Json::array();
  for (const analyze::Place& place : line.where)
    where.push_back(place_json(place, options.directory));
  for (const SinceHolder& holder : line.holders)
    holders.push_back({{"text", rendered(holder.text)}, {"bytes", holder.bytes}});
  return {{"at", place_text(asking_place(line), options.directory)},
          {"source", valid_utf8(asking_place(line).source)},
          {"made_at", made_words(line, options.directory)},
          {"kept_by", kept_words(line)},
          {"fix", rendered(line.fix)},
          {"note", note_words(line)},
          {"size", human_bytes(line.bytes)},
          {"bytes", line.bytes},
          {"count", line.count},
          {"is_estimated", line.is_estimated},
          {"where", where},
          {"holders", holders}};
}

}  // namespace

std::string since_sentence(const MadeSince& since) {
  std::string text = printable(since.mark) + (since.has_ended ? " " : " has so far ");
  text += left_words(since);
  if (since.released_bytes >= kWorthAWord)
    text += fmt::format("; it freed {} made before it", human_bytes(since.released_bytes));
  text += ".";
  if (since.peak_rise >= kWorthAWord)
    text += fmt::format(" Its peak was {} above its start.", human_bytes(since.peak_rise));
  if (since.elsewhere_bytes >= kWorthAWord)
    text += fmt::format(" Libraries and other threads made {} meanwhile that is still there.",
                        human_bytes(since.elsewhere_bytes));
  return text;
}

std::string since_text(const MadeSince& since, const SinceOptions& options) {
  const Paint paint(options.has_color);
  std::string text;
  for (const std::string& part : wrapped(since_sentence(since), options.width)) text += part + "\n";
  if (since.lines.empty()) return text;
  text += "\n" + paint.bold(figures("left", "blocks") + "line") + "\n";
  for (const SinceLine& line : since.lines) text += row_text(line, options);
  for (const std::string& words : {rest_words(since), unknown_holders(since)})
    if (!words.empty()) text += "  " + words + "\n";
  return text;
}

std::string since_json(const MadeSince& since, const SinceOptions& options) {
  Json lines = Json::array();
  for (const SinceLine& line : since.lines) lines.push_back(line_json(line, options));
  const Json document = {{"schema", "tenure-since/1"},
                         {"mark", since.mark},
                         {"sentence", since_sentence(since)},
                         {"text", since_text(since, {false, options.width, options.directory})},
                         {"has_ended", since.has_ended},
                         {"bytes", since.bytes},
                         {"count", since.count},
                         {"is_estimated", since.is_estimated},
                         {"released_bytes", since.released_bytes},
                         {"peak_rise", since.peak_rise},
                         {"elsewhere_bytes", since.elsewhere_bytes},
                         {"has_snapshot", since.has_snapshot},
                         {"rest", rest_words(since)},
                         {"unknown", unknown_holders(since)},
                         {"lines", lines}};
  return document.dump(1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace tenure::report
