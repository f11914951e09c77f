#include "analyze/garbage.h"

#include <fmt/core.h>

#include <algorithm>

#include "analyze/describe.h"

namespace tenure::analyze {
namespace {

constexpr uint64_t kLeastGarbage = 16 << 20;
constexpr double kLeastShare = 0.1;  // of the peak
constexpr uint64_t kFewestAtOnce =
    4;  // blocks of one site that wait together: it was made again and again
constexpr uint64_t kFewestBirths = 8;

// The sites whose blocks wait, the most bytes first; only those that made several of them.
std::vector<std::pair<SiteId, WaitingBlocks>> repeated(const ledger::Reader& ledger,
                                                       const WaitingGarbage& garbage) {
  std::vector<std::pair<SiteId, WaitingBlocks>> sites;
  for (const auto& [id, blocks] : garbage.sites) {
    if (id.value >= ledger.sites().size()) continue;
    bool is_repeated =
        blocks.count >= kFewestAtOnce && ledger.sites()[id.value].births >= kFewestBirths;
    if (is_repeated) sites.emplace_back(id, blocks);
  }
  std::sort(sites.begin(), sites.end(),
            [](const auto& a, const auto& b) { return a.second.bytes > b.second.bytes; });
  return sites;
}

bool is_told(const std::vector<Finding>& told, const ReadableFrame& line) {
  return std::any_of(told.begin(), told.end(), [&](const Finding& f) {
    return f.severity == Severity::leak && has_place(f, line.file, line.line);
  });
}

void add_place(const ReadableFrame& line, Finding& f) {
  constexpr size_t kMost = 4;
  if (!has_place(f, line.file, line.line) && f.where.size() < kMost)
    f.where.push_back(place_of(line, "made at"));
}

void add_unit(const ledger::Site& site, uint32_t depth, const Units& units, Finding& f) {
  for (const Unit& unit : units.around(site.stack, depth)) {
    if (!unit.is_users || unit.steps < kFewestBirths) continue;
    f.per = unit.per;
    f.steps = unit.steps;
    return;
  }
}

}  // namespace

std::optional<Finding> find_waiting_garbage(Frames& frames, const Units& units, Holders& holders,
                                            const std::vector<Finding>& told) {
  const ledger::Reader& ledger = frames.ledger();
  WaitingGarbage garbage = holders.worst_garbage(kLeastGarbage);
  auto sites = repeated(ledger, garbage);
  uint64_t bytes = 0, count = 0;
  for (const auto& [id, blocks] : sites) {
    bytes += blocks.bytes;
    count += blocks.count;
  }
  auto peak = static_cast<double>(ledger.header().peak_bytes.load());
  if (bytes < kLeastGarbage || static_cast<double>(bytes) < kLeastShare * peak) return std::nullopt;
  Finding f;
  f.kind = "retained-cycle";
  f.severity = Severity::leak;
  f.title = fmt::format("{} bytes waited for the cyclic collector at once", bytes);
  f.why = fmt::format(
      "{} blocks were held by nothing but reference cycles, and more came every step", count);
  f.fix = garbage.fix;
  f.confidence = 0.85;
  f.holder = garbage.holder;
  f.bytes = bytes;
  f.count = count;
  for (const auto& [id, blocks] : sites) {
    std::vector<const ReadableFrame*> lines = user_frames(frames, ledger.sites()[id.value].stack);
    if (lines.empty()) continue;
    if (is_told(told, *lines[0])) return std::nullopt;
    if (f.where.empty())
      add_unit(ledger.sites()[id.value], ledger.stack(lines[0]->node).depth, units, f);
    // The line that made the object of the cycle is further out than the one that made its memory.
    for (size_t i = 0; i < lines.size() && i < 2; ++i) add_place(*lines[i], f);
  }
  if (f.where.empty()) return std::nullopt;
  if (f.steps) {
    double made = 0;
    for (const auto& [id, blocks] : sites)
      made += static_cast<double>(ledger.sites()[id.value].total_bytes);
    f.bytes_per_step = made / static_cast<double>(*f.steps);
  }
  return f;
}

}  // namespace tenure::analyze
