#include "report/formats/lines_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "report/place.h"
#include "report/text.h"

namespace tenure::report {
namespace {

using analyze::MemoryFigures;
using analyze::StackSample;

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string result = "\"";
  for (char c : text) result += c == '"' ? "\"\"" : std::string(1, c);
  return result + "\"";
}

void add(MemoryFigures& sum, const MemoryFigures& more) {
  sum.bytes += more.bytes;
  sum.count += more.count;
}

std::string row_text(const StackSample& line, const std::string& directory) {
  return fmt::format("{},{},{},{},{},{},{},{},{},{},{}\r\n", line.pid,
                     quoted(shown_path(line.place.file, directory)), line.place.line,
                     quoted(printable(line.place.function)), quoted(line.kind), line.at_peak.bytes,
                     line.at_peak.count, line.live.bytes, line.live.count, line.total.bytes,
                     line.total.count);
}

}  // namespace

std::string lines_csv(const std::vector<StackSample>& samples, const std::string& directory) {
  using Key = std::tuple<int, std::string, int, std::string, std::string>;
  std::map<Key, StackSample> rows;
  for (const StackSample& sample : samples) {
    StackSample& row = rows[{sample.pid, sample.place.file, sample.place.line,
                             sample.place.function, sample.kind}];
    row.pid = sample.pid;
    row.place = sample.place;
    row.kind = sample.kind;
    add(row.at_peak, sample.at_peak);
    add(row.live, sample.live);
    add(row.total, sample.total);
  }
  std::vector<const StackSample*> order;
  for (const auto& [key, row] : rows) order.push_back(&row);
  std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    return a->at_peak.bytes > b->at_peak.bytes;
  });
  std::string text =
      "pid,file,line,function,kind,peak_bytes,peak_count,live_bytes,live_count,total_bytes,"
      "total_count\r\n";
  for (const StackSample* row : order) text += row_text(*row, directory);
  return text;
}

}  // namespace tenure::report
