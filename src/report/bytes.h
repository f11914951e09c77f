// report/bytes.h: sizes, counts, shares and durations as people read them.
// World: offline. Pure functions.
#pragma once
#include <cstdint>
#include <string>

namespace tenure::report {

// IEC units with at most three digits: `512 B`, `12.4 MiB`, `18 MiB`, `310 MiB`, `2.6 GiB`.
std::string human_bytes(uint64_t bytes);

// The same for a measured slope, which may be a fraction or negative: `-1.5 KiB`. Not a number gives `?`.
std::string human_bytes(double bytes);

// Grouped by thousands from five digits on: `1024`, `21,400`.
std::string human_count(uint64_t count);

// `1 leak`, `2 leaks`: the plural is the word with an `s`.
std::string counted(uint64_t count, const std::string& word);

// A share of one as a percentage: `0.4 %`, `under 0.1 %`, `12 %`.
std::string human_share(double share);

// `85 us`, `0.31 s`, `12.5 s`, `3 min 20 s`, `2 h 05 min`.
std::string human_seconds(double seconds);

}  // namespace tenure::report
