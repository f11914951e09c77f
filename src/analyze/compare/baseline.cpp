#include "analyze/compare/baseline.h"

#include <algorithm>

#include "analyze/compare/growth_figure.h"

namespace tenure::analyze {
namespace {

bool is_for_baseline(const Finding& finding) {
  return is_lifetime_error(finding) || is_growth(finding);
}

BaselineEntry entry_of(const Finding& finding) {
  BaselineEntry entry{key_of(finding), 0, finding.bytes};
  if (is_growth(finding)) entry.bytes_per_step = growth_of(finding);
  return entry;
}

}  // namespace

void add_to_baseline(const Findings& findings, Baseline& baseline) {
  std::vector<BaselineEntry> entries;
  std::vector<LineKey> there, now;
  for (const Finding& finding : findings.findings) {
    if (is_for_baseline(finding)) entries.push_back(entry_of(finding));
  }
  for (const BaselineEntry& entry : baseline.entries) there.push_back(entry.line);
  for (const BaselineEntry& entry : entries) now.push_back(entry.line);
  const auto matches = match_lines(now, there);
  for (size_t i = 0; i < entries.size(); ++i) {
    if (!matches[i]) {
      baseline.entries.push_back(entries[i]);
      continue;
    }
    BaselineEntry& known = baseline.entries[*matches[i]];
    known.bytes_per_step = std::max(known.bytes_per_step, entries[i].bytes_per_step);
    known.bytes = std::max(known.bytes, entries[i].bytes);
  }
}

}  // namespace tenure::analyze
