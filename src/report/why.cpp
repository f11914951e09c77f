#include "report/why.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "report/bytes.h"
#include "report/place.h"
#include "report/sentences.h"
#include "report/text.h"

namespace tenure::report {

using analyze::ConsideredLine;

const char* word_of_class(GrowthClass what) {
  switch (what) {
    case GrowthClass::leak:
    case GrowthClass::growing_block:
      return "leak";
    case GrowthClass::accumulates:
    case GrowthClass::waiting:
    case GrowthClass::compiled_code:
    case GrowthClass::suspected:
      return "warning";
    case GrowthClass::too_short:
      return "unknown";
    case GrowthClass::bounded:
    case GrowthClass::filling:
    case GrowthClass::stayed:
      return "note";
    case GrowthClass::dismissed:
      break;
  }
  return "no growth";
}

const char* sentence_of(Rule rule) {
  switch (rule) {
    case Rule::too_little:
      return "less than is worth a word";
    case Rule::gone:
      return "what it made was freed again, or stays at one level";
    case Rule::few_late_steps:
      return "too few steps of the later half of the run added to it";
    case Rule::too_few_steps:
      return "it was made in too few steps to tell";
    case Rule::bursts:
      return "it was made in a few bursts, not step by step";
    case Rule::slows_down:
      return "it grows ever more slowly, as a cache does that fills up";
    case Rule::nothing_added:
      return "a third of the run or more came after its last addition";
    case Rule::given_back:
      return "it piled up, and the program gave it back while it went on";
    case Rule::only_newest:
      return "only its newest blocks are left; older ones were released";
    case Rule::released_before:
      return "it held a good part of this before, and released it again";
    case Rule::of_library:
      return "a library makes it in its own threads, most likely for the line that leaks";
    case Rule::small_objects:
      return "it is made of small Python objects, whose lines are not known";
    case Rule::few_samples:
      return "so few samples are left that they may be there by chance";
    case Rule::below_exit:
      return "it was made below exit() and goes with the program";
    case Rule::bounded_holder:
      return "its holder has a limit";
    case Rule::garbage:
      return "only the cyclic collector has to come, and little waits";
    case Rule::generated_code:
      return "a library compiles code there and keeps what belongs to it";
    case Rule::one_block_grows:
      return "one block is replaced by a bigger one again and again";
    case Rule::survivors:
      return "blocks from all along the later half of the run are alive, at a steady pace";
    case Rule::one_expression:
      return "one comprehension made it all, and its rounds are no steps of the program";
    case Rule::leaks_elsewhere:
      return "it ran too few times here to tell, and leaks in another process";
  }
  return "";
}

namespace {

// "train.py:42" names a line of any folder; a path must be the end of the file's.
bool is_asked(const ConsideredLine& line, const std::string& asked) {
  if (asked.empty()) return true;
  const std::string place = fmt::format("{}:{}", line.place.file, line.place.line);
  if (!place.ends_with(asked)) return false;
  return place.size() == asked.size() || place[place.size() - asked.size() - 1] == '/';
}

}  // namespace

std::string figures_of(const ConsideredLine& line) {
  if (line.bytes == 0) return fmt::format("held {} at most", human_bytes(line.most_bytes));
  std::string text = fmt::format("{} in {}", human_bytes(line.bytes), counted(line.count, "block"));
  if (line.steps > 0 && line.bytes_per_step > 0)
    text += fmt::format(", {} every {}", human_bytes(line.bytes_per_step), rendered(line.per));
  return text;
}

namespace {

std::string row(const std::string& name, const std::string& words, int width) {
  constexpr int kIndent = 12;
  std::string text;
  for (const std::string& part : wrapped(printable(words), std::max(width - kIndent, 24))) {
    text += padded(text.empty() ? "  " + name : "", kIndent);
    text += part;
    text += "\n";
  }
  return text;
}

// "68 MiB leak, 12 MiB no growth": largest first.
std::string shares_of(const analyze::BalanceMoment& moment) {
  std::map<std::string, uint64_t> bytes_of{{"in lines that held little", moment.small_lines},
                                           {"of Tenure's adapters", moment.own}};
  for (const auto& [what, bytes] : moment.came_to) bytes_of[word_of_class(what)] += bytes;
  std::vector<std::pair<std::string, uint64_t>> shares(bytes_of.begin(), bytes_of.end());
  std::stable_sort(shares.begin(), shares.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (const auto& [word, bytes] : shares) {
    if (bytes == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", human_bytes(bytes), word);
  }
  return text;
}

}  // namespace

std::string balance_table(const std::vector<analyze::LineBalance>& balance, int width) {
  std::string text;
  for (const analyze::LineBalance& process : balance) {
    if (process.at_peak.total == 0) continue;
    std::string of = balance.size() > 1 ? fmt::format(" of process {}", process.pid) : "";
    text += row("balance",
                fmt::format("{} at the peak{}: {}", human_bytes(process.at_peak.total), of,
                            shares_of(process.at_peak)),
                width);
  }
  return text;
}

bool has_line(const std::vector<ConsideredLine>& lines, const std::string& asked) {
  if (asked.empty()) return true;
  return std::any_of(lines.begin(), lines.end(),
                     [&](const ConsideredLine& line) { return is_asked(line, asked); });
}

std::string why_table(const std::vector<ConsideredLine>& lines, const WhyOptions& options) {
  if (lines.empty()) return "  no line held enough to be looked at\n";
  std::string text;
  for (const ConsideredLine& line : lines) {
    if (!is_asked(line, options.line)) continue;
    text += row(word_of_class(line.what), place_text(line.place, options.directory), options.width);
    if (!line.place.source.empty()) text += row("", line.place.source, options.width);
    text += row("", figures_of(line), options.width);
    text += row("", sentence_of(line.rule), options.width);
    if (line.holder) text += row("", "kept by " + holder_text(*line.holder), options.width);
  }
  return text;
}

}  // namespace tenure::report
