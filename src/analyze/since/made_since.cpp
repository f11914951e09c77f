#include "analyze/since/made_since.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "analyze/evidence/site_history.h"
#include "analyze/findings/cells.h"
#include "analyze/heap/holder_text.h"
#include "analyze/heap/notebook_output.h"
#include "analyze/heap/retention.h"
#include "analyze/run/process_run.h"
#include "analyze/since/mark.h"
#include "analyze/since/rules.h"
#include "base/whole.h"
#include "ledger/live_memory.h"

namespace tenure::analyze {
namespace {

using LineKey = std::tuple<std::string, int, std::string, int>;

bool is_small(const ledger::Site& site) {
  return static_cast<BlockKind>(site.kind) == BlockKind::small_heap;
}

bool counts(const ledger::Site& site) {
  return is_small(site) || ledger::counts_as_live(static_cast<BlockKind>(site.kind));
}

// What of a slice's births came in the stretch, those of a slice being spread evenly in it.
double share_within(const Slice& slice, const MarkedStretch& stretch) {
  if (slice.from > stretch.to || slice.to <= stretch.from) return 0;
  if (slice.from > stretch.from && slice.to <= stretch.to) return 1;
  const auto low = static_cast<double>(std::max(slice.from, stretch.from + 1));
  const auto high = static_cast<double>(std::min(slice.to, stretch.to));
  return (high - low + 1) / static_cast<double>(slice.to - slice.from + 1);
}

// Survivors of one site that were born in the stretch.
struct Left {
  double bytes = 0, count = 0;
  bool is_estimated = false;
};

Left left_of(const ledger::Site& site, const MarkedStretch& stretch) {
  Left left;
  left.is_estimated = is_small(site);
  for (const Slice& slice : slices_of(site)) {
    const double share = share_within(slice, stretch);
    left.bytes += share * slice.bytes;
    left.count += share * slice.survivors;
    left.is_estimated |= share > 0 && share < 1 && slice.survivors > 0;
  }
  return left;
}

std::vector<Place> where_of(const std::vector<const ReadableFrame*>& users) {
  std::vector<Place> where = {place_of(*users.front(), PlaceRole::made_at)};
  if (!is_same_line(users.front(), users.back()))
    where.push_back(place_of(*users.back(), PlaceRole::made_at));
  return where;
}

LineKey key_of(const std::vector<Place>& where) {
  return {where.front().file, where.front().line, where.back().file, where.back().line};
}

class StretchReader {
 public:
  StretchReader(const record::Record& record, int index, const MarkedStretch& stretch)
      : record_(record),
        index_(index),
        ledger_(record.ledgers.at(index)),
        frames_(ledger_, *record.symbols),
        stretch_(stretch) {}

  void read(MadeSince& out) {
    for (uint32_t i = 1; i < ledger_.sites().size(); ++i) add_site(i, out);
    add_holders(out);
    finish(out);
  }

 private:
  void add_site(uint32_t number, MadeSince& out) {
    const ledger::Site& site = ledger_.sites()[number];
    if (!counts(site) || site.live_count == 0 || site.last_tick <= stretch_.from) return;
    const Left left = left_of(site, stretch_);
    if (left.bytes < 1) return;
    std::vector<const ReadableFrame*> users = user_frames(frames_, site.stack);
    std::erase_if(users, [](const ReadableFrame* frame) { return !frame->is_user; });
    if (users.empty() || frames_.is_of_adapters(site)) {
      out.elsewhere_bytes += whole(left.bytes);
      return;
    }
    std::vector<Place> where = where_of(users);
    const LineKey key = key_of(where);
    const auto [at, is_new] = lines_.try_emplace(key);
    if (is_new) at->second.where = std::move(where);
    at->second.bytes += whole(left.bytes);
    at->second.count += whole(left.count);
    at->second.is_estimated |= left.is_estimated;
    at->second.has_arenas |= static_cast<BlockKind>(site.kind) == BlockKind::object_arena;
    line_of_[SiteId{number}] = key;
  }

  // From the newest snapshot, if that has seen the end of the stretch.
  void add_holders(MadeSince& out) {
    const std::vector<ledger::Snapshot>& snapshots = snapshots_of(record_, index_);
    const Tick seen = stretch_.has_ended ? stretch_.to : stretch_.from;
    if (snapshots.empty() || snapshots.back().header().tick < seen) return;
    out.has_snapshot = true;
    const HeapGraph heap(snapshots.back());
    for (const auto& [key, buffers] : buffers_by_line(snapshots.back())) {
      SinceLine& line = lines_[key];
      for (const Retention& held : holders_of(heap, buffers, kLeastShareOfLine)) {
        if (line.holders.size() == kMostHoldersOfLine) break;
        std::string text = say_holder(heap, held, main_file_of(record_, index_)).text;
        if (text.empty()) continue;
        if (line.fix.empty()) line.fix = advice_for_notebook(heap, held);
        line.holders.push_back({std::move(text), held.bytes});
      }
    }
  }

  std::map<LineKey, std::vector<uint32_t>> buffers_by_line(const ledger::Snapshot& snapshot) const {
    std::map<LineKey, std::vector<uint32_t>> found;
    std::map<SiteId, std::vector<Slice>> slices;
    const auto buffers = snapshot.buffers();
    for (uint32_t i = 0; i < buffers.size(); ++i) {
      const auto line = line_of_.find(buffers[i].site);
      if (line == line_of_.end()) continue;
      auto [life, is_new] = slices.try_emplace(buffers[i].site);
      if (is_new) life->second = slices_of(ledger_.sites()[buffers[i].site.value]);
      const Tick born = born_at(life->second, buffers[i].ordinal);
      if (born > stretch_.from && born <= stretch_.to) found[line->second].push_back(i);
    }
    return found;
  }

  void finish(MadeSince& out) {
    const Cells cells(ledger_);
    for (auto& [key, line] : lines_) {
      out.bytes += line.bytes;
      out.count += line.count;
      out.is_estimated |= line.is_estimated;
      for (Place& place : line.where) cells.name(place);
      out.lines.push_back(std::move(line));
    }
    std::stable_sort(out.lines.begin(), out.lines.end(),
                     [](const SinceLine& a, const SinceLine& b) { return a.bytes > b.bytes; });
    const uint64_t least =
        std::max(kLeastOfLine, whole(kLeastShare * static_cast<double>(out.bytes)));
    while (!out.lines.empty() &&
           (out.lines.size() > kMostLines || out.lines.back().bytes < least)) {
      out.other_lines += 1;
      out.other_bytes += out.lines.back().bytes;
      out.lines.pop_back();
    }
  }

  const record::Record& record_;
  int index_;
  const ledger::Reader& ledger_;
  Frames frames_;
  const MarkedStretch& stretch_;
  std::map<LineKey, SinceLine> lines_;
  std::map<SiteId, LineKey> line_of_;
};

std::optional<int> process_with_mark(const record::Record& record, const std::string& mark,
                                     int pid) {
  if (pid == 0) return main_process(record);
  for (const auto& [index, ledger] : record.ledgers) {
    if (ledger.header().pid == pid && marked_stretch(ledger, mark)) return index;
  }
  return std::nullopt;
}

}  // namespace

std::optional<MadeSince> made_since(const record::Record& record, const std::string& mark,
                                    int pid) {
  const std::optional<int> index = process_with_mark(record, mark, pid);
  if (!index) return std::nullopt;
  const std::optional<MarkedStretch> stretch = marked_stretch(record.ledgers.at(*index), mark);
  if (!stretch) return std::nullopt;
  MadeSince out;
  out.mark = mark;
  out.has_ended = stretch->has_ended;
  out.peak_rise = stretch->peak_rise;
  StretchReader(record, *index, *stretch).read(out);
  const uint64_t all = stretch->live_before + out.bytes + out.elsewhere_bytes;
  if (stretch->has_ended && all > stretch->live_after)
    out.released_bytes = all - stretch->live_after;
  return out;
}

}  // namespace tenure::analyze
