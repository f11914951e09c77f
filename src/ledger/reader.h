// ledger/reader.h: a ledger that can be asked; every id is checked, so that damage shows as "unknown", never as a crash.
// World: offline. Immutable after opening.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ledger/layout.h"

namespace tenure::ledger {

class Reader {
 public:
  static Result<Reader> open(const std::string& path);
  static Result<Reader> from_bytes(std::vector<char> raw, const std::string& name);

  const Header& header() const { return *reinterpret_cast<const Header*>(raw_.data()); }
  std::string_view string(StringId id) const;
  const Code& code(uint32_t id) const { return at<Code>(TableId::codes, id); }
  const Module& module(uint32_t id) const { return at<Module>(TableId::modules, id); }
  const Frame& frame(FrameId id) const { return at<Frame>(TableId::frames, id.value); }
  const Stack& stack(StackId id) const { return at<Stack>(TableId::stacks, id.value); }

  std::span<const Code> codes() const { return all<Code>(TableId::codes); }
  std::span<const Stack> stacks() const { return all<Stack>(TableId::stacks); }
  std::span<const Site> sites() const { return all<Site>(TableId::sites); }
  std::span<const Series> series() const { return all<Series>(TableId::series); }
  std::span<const TimelineEntry> timeline() const {
    return all<TimelineEntry>(TableId::timeline).subspan(1);
  }
  std::span<const Event> events() const { return all<Event>(TableId::events).subspan(1); }
  std::span<const Fact> facts() const { return all<Fact>(TableId::facts).subspan(1); }
  std::span<const Scope> scopes() const { return all<Scope>(TableId::scopes).subspan(1); }
  std::span<const LifetimeError> lifetime_errors() const {
    return all<LifetimeError>(TableId::lifetime_errors).subspan(1);
  }
  std::span<const Cause> causes() const { return all<Cause>(TableId::causes).subspan(1); }
  const Series& series_at(SeriesId id) const { return at<Series>(TableId::series, id.value); }
  std::string_view fact(std::string_view key) const;  // the last one said; empty if none
  uint64_t loss(Loss loss) const { return header().losses[static_cast<uint32_t>(loss)].load(); }

  // What a site held when the process held most. Sites save that at their first change after it.
  struct Held {
    uint64_t bytes, count;
  };
  Held at_peak(const Site& site) const {
    bool is_saved = site.at_peak_epoch == header().peak_epoch.load();
    return is_saved ? Held{site.at_peak_bytes, site.at_peak_count}
                    : Held{site.live_bytes, site.live_count};
  }

  // The stack without its innermost frame. A stack is younger than what is outside it: going outwards always ends.
  StackId outer(StackId id) const;
  // The ids of the stack's nodes, innermost first.
  std::vector<StackId> nodes(StackId innermost) const;

 private:
  template <class Record>
  std::span<const Record> all(TableId id) const {
    const TableInfo& t = header().tables[static_cast<uint32_t>(id)];
    return {reinterpret_cast<const Record*>(raw_.data() + t.offset),
            t.used.load(std::memory_order_relaxed)};
  }
  template <class Record>
  const Record& at(TableId id, uint32_t index) const {
    auto records = all<Record>(id);
    return records[index < records.size() ? index : 0];
  }

  std::vector<char> raw_;
};

}  // namespace tenure::ledger
