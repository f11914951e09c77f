#include "analyze/findings/cells.h"

#include <algorithm>
#include <sstream>

#include "base/sentence_writer.h"
#include "base/short_place.h"

namespace tenure::analyze {
namespace {

constexpr std::string_view kNote = "cell.";

std::string cell_name(const std::string& number) { return "In[" + number + "]"; }

std::string line_of(const std::string& text, int line) {
  std::istringstream lines(text);
  std::string found;
  for (int i = 0; i < line; ++i) {
    if (!std::getline(lines, found)) return "";
  }
  return found;
}

// Each "FILE:4" in the text becomes line 4 of the cell.
void name_lines(std::string& text, const std::string& file, const std::string& cell) {
  for (size_t at = text.find(file + ":"); at != std::string::npos;) {
    size_t digits = at + file.size() + 1;
    size_t end = std::min(text.find_first_not_of("0123456789", digits), text.size());
    std::string named =
        sentence("cell.line", {{"cell", cell}, {"line", text.substr(digits, end - digits)}});
    text.replace(at, end - at, named);
    at = text.find(file + ":", at + named.size());
  }
}

}  // namespace

// The last run of a cell with the same text gives the number.
Cells::Cells(const ledger::Reader& ledger) {
  for (const ledger::Fact& fact : ledger.facts()) {
    std::string_view key = ledger.string(fact.key);
    if (!key.starts_with(kNote)) continue;
    std::string value(ledger.string(fact.value));
    size_t end = value.find('\n');
    if (end == std::string::npos) continue;
    cells_[std::string(key.substr(kNote.size()))] = {value.substr(0, end), value.substr(end + 1)};
  }
}

std::string Cells::named(std::string text) const {
  for (const auto& [file, cell] : cells_)
    name_lines(text, short_place(file, 0), cell_name(cell.number));
  return text;
}

void Cells::name(Place& place) const {
  auto cell = cells_.find(place.file);
  if (cell == cells_.end()) return;
  place.source = line_of(cell->second.text, place.line);
  place.file = cell_name(cell->second.number);
}

void Cells::name(ConsideredLine& line) const {
  name(line.place);
  line.per = named(std::move(line.per));
}

void Cells::name(Finding& finding) const {
  if (cells_.empty()) return;
  for (Place& place : finding.where) name(place);
  for (std::string* text : {&finding.per, &finding.title, &finding.why, &finding.op})
    *text = named(std::move(*text));
}

}  // namespace tenure::analyze
