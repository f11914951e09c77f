#include "analyze/growth/copy_on_write.h"

#include <algorithm>
#include <limits>

#include "analyze/evidence/site_history.h"
#include "analyze/growth/copied_pages.h"
#include "analyze/growth/rules.h"
#include "analyze/heap/python_containers.h"
#include "analyze/heap/reading_line.h"

namespace tenure::analyze {
namespace {

using ledger::BlockKind;
using ledger::Site;

constexpr const char* kForkedIn = "multiprocessing/popen_fork.py";  // further out is the parent

// Position of the process that forked this one.
std::optional<int> parent_of(const record::Record& record, const ledger::Reader& child) {
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
    for (const Slice& slice : slices_of(site)) {
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
    if (stacks.size() < kMostWorkerSites) stacks.push_back(site->stack);
  }
  return stacks;
}

// The worker runs the code that its parent had when it forked.
class WorkersCode {
 public:
  WorkersCode(Frames& frames, const bytecode::Program& program)
      : frames_(frames), program_(program), stacks_(busiest_stacks(frames.ledger())) {}

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
        auto place = place_in(name, [&](const bytecode::Function& function) {
          return function.code.file == frame.file && function.code.first_line == first;
        });
        if (place) return Reading{std::move(*place), stack};
      }
    }
    if (name.kind != KeptName::Kind::attribute || stacks_.empty()) return std::nullopt;
    return of_attribute(name);
  }

 private:
  template <class IsWanted>
  std::optional<Place> place_in(const KeptName& name, IsWanted is_wanted) {
    for (const bytecode::Function& function : program_.functions()) {
      if (!function.code.is_function() || !is_wanted(function)) continue;
      std::optional<int> line = reading_line(function, name);
      if (!line) continue;
      std::string file(function.code.file);
      return Place{file, *line, std::string(function.told_name()), PlaceRole::used, ""};
    }
    return std::nullopt;
  }
  // Methods of the class itself before others.
  std::optional<Reading> of_attribute(const KeptName& name) {
    for (bool is_own : {true, false}) {
      auto place = place_in(name, [&](const bytecode::Function& function) {
        return (function.class_name() == name.owner) == is_own &&
               function.bare_name() != "__init__";
      });
      if (place) return Reading{std::move(*place), stacks_.front()};
    }
    return std::nullopt;
  }
  int first_line(StackId node) const {
    const ledger::Reader& ledger = frames_.ledger();
    return ledger.code(ledger.frame(ledger.stack(node).frame).owner).first_line;
  }

  Frames& frames_;
  const bytecode::Program& program_;
  std::vector<StackId> stacks_;
};

struct Touched {
  PythonContainer container;
  WorkersCode::Reading reading;
};

// The container with most items that was there before the fork, is made of enough objects and is read by the worker.
std::optional<Touched> touched_container(const record::Record& record, int parent, Frames& parents,
                                         Frames& workers, uint64_t copied) {
  const std::vector<ledger::Snapshot>& snapshots = snapshots_of(record, parent);
  const ledger::Reader& ledger = parents.ledger();
  Tick forked = tick_of_fork(ledger, workers.ledger());
  bytecode::Program program(snapshots);
  WorkersCode code(workers, program);
  std::string main_file = main_file_of(record, parent);
  for (size_t i = snapshots.size(); i-- > 0;) {
    HeapGraph heap(snapshots[i]);
    for (PythonContainer& container : python_containers(heap, kFewestShared, main_file)) {
      if (container.table.value >= ledger.sites().size()) continue;
      const Site& table = ledger.sites()[container.table.value];
      bool is_enough =
          table.first_tick <= forked &&
          bytes_of_objects(parents, table) >= kLeastExplained * static_cast<double>(copied);
      if (!is_enough) continue;
      if (auto reading = code.reading(container.name))
        return Touched{std::move(container), std::move(*reading)};
    }
  }
  return std::nullopt;
}

void add_steps(const Units& units, StackId stack, CopiedMemory& copied) {
  for (const Unit& unit : units.around(stack, std::numeric_limits<uint32_t>::max())) {
    if (unit.steps < kFewestWorkerSteps) continue;
    copied.per = unit.per;
    copied.steps = unit.steps;
    return;
  }
}

}  // namespace

std::optional<CopiedMemory> find_copy_on_write(const ProcessRun& process) {
  CopiedPages pages = copied_pages(process.outcome().pages);
  if (pages.bytes < kLeastCopied || !pages.is_gradual) return std::nullopt;
  std::optional<int> parent = parent_of(process.record, process.frames.ledger());
  if (!parent) return std::nullopt;
  Frames parents(process.record.ledgers.at(*parent), *process.record.symbols);
  auto touched = touched_container(process.record, *parent, parents, process.frames, pages.bytes);
  if (!touched) return std::nullopt;
  CopiedMemory copied{.bytes = pages.bytes,
                      .objects = touched->container.items,
                      .holder = touched->container.holder,
                      .read_at = touched->reading.place};
  const Site& table = parents.ledger().sites()[touched->container.table.value];
  if (const ReadableFrame* made = parents.user_frame(table.stack))
    copied.made_at = place_of(*made, PlaceRole::made_at);
  add_steps(process.units, touched->reading.stack, copied);
  return copied;
}

}  // namespace tenure::analyze
