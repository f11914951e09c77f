// report/sites.h: the sites of a run as an aligned table, for `tenure show --sites`.
// World: offline. Pure function.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace tenure::report {

struct SiteRow {
  uint64_t at_peak_bytes = 0;
  uint64_t at_peak_count = 0;
  uint64_t live_bytes = 0;
  uint64_t live_count = 0;
  uint64_t total_bytes = 0;
  uint64_t total_count = 0;
  std::string place;          // `train.py:42 in train()`; see place_text
  std::string kind;           // shown behind the place when not empty
  double relative_error = 0;  // of the figures; 0: exact
};

struct SitesOptions {
  bool has_color = false;
  int width = 100;
};

// One line per row in the given order, below a head line; ends with a newline. No rows: a sentence.
std::string sites_table(const std::vector<SiteRow>& rows, const SitesOptions& options = {});

}  // namespace tenure::report
