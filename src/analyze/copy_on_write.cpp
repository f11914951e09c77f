#include "analyze/copy_on_write.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <map>

#include "analyze/copied_pages.h"
#include "analyze/describe.h"
#include "analyze/judge.h"
#include "analyze/python_containers.h"
#include "analyze/reading_line.h"
#include "analyze/source_line.h"
#include "analyze/survivors.h"
#include "base/source_path.h"

namespace tenure::analyze {
namespace {

using ledger::BlockKind;
using ledger::Site;

constexpr uint64_t kLeastCopied = 16 << 20;
constexpr double kLeastExplained = 0.5;  // of what was copied, by objects of the container
constexpr uint32_t kFewestItems = 1000;
constexpr uint64_t kFewestSteps = 8;
constexpr const char* kForkedIn = "multiprocessing/popen_fork.py";  // further out is the parent
constexpr size_t kMostSites = 64;  // of the worker, those with most births: its work

// Position of the process that forked this one.
std::optional<int> parent_of(const Record& record, const ledger::Reader& child) {
  for (const auto& [index, ledger] : record.ledgers) {
    if (record.outcome.processes[static_cast<size_t>(index)].pid == child.header().parent_pid)
      return index;
  }
  return std::nullopt;
}

// The parent's tick when the child began.
Tick tick_of_fork(const ledger::Reader& parent, const ledger::Reader& child) {
  Tick tick = 0;
  for (const ledger::TimelineEntry& entry : parent.timeline()) {
    if (entry.mono_ns <= child.header().started_mono_ns) tick = std::max(tick, entry.tick);
  }
  return tick;
}

bool is_of_small_objects(const Site& site) {
  auto kind = static_cast<BlockKind>(site.kind);
  return kind == BlockKind::object_arena || kind == BlockKind::small_heap;
}

// Small objects that the parent made while the container's table grew, or on the line that made the table.
double bytes_of_objects(Frames& parent, const Site& table) {
  const ReadableFrame* line = parent.user_frame(table.stack);
  double bytes = 0;
  for (const Site& site : parent.ledger().sites()) {
    if (!is_of_small_objects(site)) continue;
    const ReadableFrame* made = parent.frame_with_line(site.stack);
    bool is_same_line = line && made && made->file == line->file && made->line == line->line;
    for (const Slice& slice : history_of(site, 0, 0).slices) {
      bool is_meanwhile = slice.from >= table.first_tick && slice.to <= table.last_tick;
      bytes += is_same_line || is_meanwhile ? slice.born_bytes : 0;
    }
  }
  return bytes;
}

// What a worker does most: its sites by births.
std::vector<StackId> busiest_stacks(const ledger::Reader& ledger) {
  std::vector<const Site*> sites;
  for (const Site& site : ledger.sites().subspan(1)) sites.push_back(&site);
  std::sort(sites.begin(), sites.end(),
            [](const Site* a, const Site* b) { return a->births > b->births; });
  std::vector<StackId> stacks;
  for (const Site* site : sites) {
    if (stacks.size() < kMostSites) stacks.push_back(site->stack);
  }
  return stacks;
}

class WorkersSource {
 public:
  explicit WorkersSource(Frames& frames)
      : frames_(frames), stacks_(busiest_stacks(frames.ledger())) {}

  struct Reading {
    Place place;
    StackId stack;
  };

  // In a function that the worker runs, innermost first. One that makes no memory is on no stack: then any that reads the
  // attribute is it.
  std::optional<Reading> reading(const KeptName& name) {
    for (StackId stack : stacks_) {
      for (const ReadableFrame& frame : frames_.of(stack)) {
        if (frame.file.ends_with(kForkedIn)) break;
        if (!frame.is_user || !frame.is_python || frame.function == "<module>") continue;
        int first = first_line(frame.node);
        auto place = place_in(frame.file, name, [&](const FunctionLine& line) {
          return line.first_line == first || line.line == first;
        });
        if (place) return Reading{std::move(*place), stack};
      }
    }
    if (name.kind != KeptName::Kind::attribute || stacks_.empty()) return std::nullopt;
    return of_attribute(name);
  }

 private:
  template <class IsWanted>
  std::optional<Place> place_in(const std::string& file, const KeptName& name, IsWanted is_wanted) {
    for (const FunctionLine& line : lines_in(file)) {
      if (is_wanted(line) && reads_name(line.text, name))
        return Place{file, line.line, line.function, "used", read_source_line(file, line.line)};
    }
    return std::nullopt;
  }
  std::optional<Reading> of_attribute(const KeptName& name) {
    for (const ledger::Code& code : frames_.ledger().codes()) {
      std::string file(frames_.ledger().string(code.file));
      if (!is_user_file(file)) continue;
      auto place = place_in(file, name,
                            [](const FunctionLine& line) { return line.function != "__init__"; });
      if (place) return Reading{std::move(*place), stacks_.front()};
    }
    return std::nullopt;
  }
  int first_line(StackId node) const {
    const ledger::Reader& ledger = frames_.ledger();
    return ledger.code(ledger.frame(ledger.stack(node).frame).owner).first_line;
  }
  const std::vector<FunctionLine>& lines_in(const std::string& file) {
    auto [entry, is_new] = lines_.try_emplace(file);
    if (!is_new) return entry->second;
    return entry->second = lines_of_functions(read_source(file).value_or(""));
  }

  Frames& frames_;
  std::vector<StackId> stacks_;
  std::map<std::string, std::vector<FunctionLine>> lines_;
};

struct Touched {
  PythonContainer container;
  WorkersSource::Reading reading;
};

// The container with most items that was there before the fork, is made of enough objects and is read by the worker.
std::optional<Touched> touched_container(const Record& record, int parent, Frames& parents,
                                         Frames& workers, uint64_t copied) {
  auto snapshots = record.snapshots.find(parent);
  if (snapshots == record.snapshots.end()) return std::nullopt;
  const ledger::Reader& ledger = parents.ledger();
  Tick forked = tick_of_fork(ledger, workers.ledger());
  WorkersSource source(workers);
  std::string main_file = main_file_of(record.outcome.arguments);
  for (size_t i = snapshots->second.size(); i-- > 0;) {
    HeapGraph heap(snapshots->second[i]);
    for (PythonContainer& container : python_containers(heap, kFewestItems, main_file)) {
      if (container.table.value >= ledger.sites().size()) continue;
      const Site& table = ledger.sites()[container.table.value];
      bool is_enough =
          table.first_tick <= forked &&
          bytes_of_objects(parents, table) >= kLeastExplained * static_cast<double>(copied);
      if (!is_enough) continue;
      if (auto reading = source.reading(container.name))
        return Touched{std::move(container), std::move(*reading)};
    }
  }
  return std::nullopt;
}

void add_steps(const Units& units, StackId stack, Finding& f) {
  for (const Unit& unit : units.around(stack, std::numeric_limits<uint32_t>::max())) {
    if (unit.steps < kFewestSteps) continue;
    f.per = unit.per;
    f.steps = unit.steps;
    f.bytes_per_step = static_cast<double>(f.bytes) / static_cast<double>(unit.steps);
    f.title = growth_title(*f.bytes_per_step, f.bytes);
    return;
  }
}

}  // namespace

std::optional<Finding> find_copy_on_write(const Record& record, int process, Frames& frames,
                                          const Units& units) {
  CopiedPages copied = copied_pages(record.outcome.processes[static_cast<size_t>(process)].pages);
  if (copied.bytes < kLeastCopied || !copied.is_gradual) return std::nullopt;
  std::optional<int> parent = parent_of(record, frames.ledger());
  if (!parent) return std::nullopt;
  Frames parents(record.ledgers.at(*parent));
  auto touched = touched_container(record, *parent, parents, frames, copied.bytes);
  if (!touched) return std::nullopt;
  Finding f;
  f.kind = "copy-on-write";
  f.severity = Severity::leak;
  f.bytes = copied.bytes;
  f.count = touched->container.items;
  f.title = fmt::format("a worker copied {} bytes of its parent's memory", copied.bytes);
  f.why = fmt::format(
      "the worker shares {} Python objects with its parent; reading one writes its reference "
      "count, and the page it lies in is copied",
      touched->container.items);
  f.fix =
      "keep the data in one NumPy array, torch tensor or block of bytes with offsets: reading "
      "those writes nothing";
  f.confidence = 0.9;
  f.holder = touched->container.holder;
  f.where.push_back(touched->reading.place);
  const Site& table = parents.ledger().sites()[touched->container.table.value];
  if (const ReadableFrame* made = parents.user_frame(table.stack))
    f.where.push_back(place_of(*made, "made at"));
  add_steps(units, touched->reading.stack, f);
  return f;
}

}  // namespace tenure::analyze
