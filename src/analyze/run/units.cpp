#include "analyze/run/units.h"

#include <algorithm>
#include <cmath>

#include "analyze/run/rules.h"
#include "base/sentence_writer.h"
#include "base/short_place.h"
#include "base/source_path.h"

namespace tenure::analyze {
namespace {

using ledger::Series;
using ledger::SeriesKind;

std::vector<Unit::Mark> marks_of(const Series& series) {
  std::vector<Unit::Mark> marks{{series.first_tick, 0}};
  for (uint32_t i = 0; i < std::min(series.marks_used, ledger::kMarks); ++i) {
    marks.push_back({series.marks[i].tick, static_cast<double>(series.marks[i].count)});
  }
  marks.push_back({series.last_tick, static_cast<double>(series.count.load())});
  return marks;
}

double interpolate(const std::vector<Unit::Mark>& marks, Tick tick) {
  if (marks.empty() || tick <= marks.front().tick) return 0;
  for (size_t i = 1; i < marks.size(); ++i) {
    if (tick > marks[i].tick) continue;
    double span = static_cast<double>(marks[i].tick - marks[i - 1].tick);
    double part = span > 0 ? static_cast<double>(tick - marks[i - 1].tick) / span : 1;
    return marks[i - 1].count + part * (marks[i].count - marks[i - 1].count);
  }
  return marks.back().count;
}

std::string iteration_of(const std::string& file, int line) {
  return sentence("per.iteration", {{"line", short_place(file, line)}});
}

// It had come round often when it was first seen, as a loop whose threads or tasks do all the work.
bool is_seen_late(const Unit& unit) {
  return unit.depth > 0 && unit.marks.size() > 1 && unit.marks[1].tick <= unit.marks[0].tick &&
         unit.marks[1].count >= static_cast<double>(kRoundsOfALoop);
}

// The same loop seen through two series: counts add up.
std::vector<Unit::Mark> sum(const std::vector<Unit::Mark>& a, const std::vector<Unit::Mark>& b) {
  std::vector<Unit::Mark> all;
  for (const Unit::Mark& mark : a)
    all.push_back({mark.tick, mark.count + interpolate(b, mark.tick)});
  for (const Unit::Mark& mark : b)
    all.push_back({mark.tick, mark.count + interpolate(a, mark.tick)});
  std::sort(all.begin(), all.end(), [](const auto& x, const auto& y) { return x.tick < y.tick; });
  return all;
}

}  // namespace

std::string run_of(const std::string& file, int line) {
  return sentence("per.run", {{"line", short_place(file, line)}});
}

std::string block_of(const std::string& function, const std::string& file) {
  return sentence("per.block", {{"function", function}, {"file", short_place(file, 0)}});
}

double Unit::count_at(Tick tick) const { return interpolate(marks, tick); }

double Unit::step_at(Tick tick) const {
  return std::clamp(std::floor(count_at(tick)), 1.0, std::max(1.0, static_cast<double>(steps)));
}

double Unit::place_of(Tick tick) const {
  return steps ? count_at(tick) : static_cast<double>(tick);
}

bool Unit::is_same(const Unit& other) const {
  auto began = [](const Unit& unit) { return unit.marks.empty() ? 0 : unit.marks.front().tick; };
  return per == other.per && depth == other.depth && steps == other.steps &&
         began(*this) == began(other);
}

Units::Units(Frames& frames, const std::string& steps, bool is_from_first_step)
    : frames_(frames), ledger_(frames.ledger()) {
  join_stacks();
  add_python_loops();
  add_native_loops();
  add_named();
  count_entries();
  if (steps == "auto") return;
  std::erase_if(named_, [&](const Unit& unit) { return unit.per != steps; });
  if (is_from_first_step && named_.size() == 1 && !named_.front().marks.empty())
    asked_from_ = named_.front().marks.front().tick;
  for (Loop& loop : loops_) loop.unit.is_users = false;
}

// Stacks that differ only in the instruction within a Python line are one place: the interpreter rewrites its code while it
// runs, and one call may be seen at two offsets.
void Units::join_stacks() {
  std::map<std::tuple<uint32_t, uint32_t, uint32_t, uint64_t>, StackId> first;
  auto stacks = ledger_.stacks();
  places_.resize(stacks.size());
  for (uint32_t i = 1; i < stacks.size(); ++i) {
    const ledger::Frame& frame = ledger_.frame(stacks[i].frame);
    bool is_native = frame.kind == static_cast<uint32_t>(ledger::FrameKind::native);
    uint64_t at = is_native ? frame.address : frame.line;
    std::tuple key{place_of(ledger_.outer({i})).value, frame.kind, frame.owner, at};
    places_[i] = first.try_emplace(key, StackId{i}).first->second;
  }
}

void Units::merge(Loop& into, const Series& series) {
  into.counted += series.counted;
  into.backwards += series.count.load() - series.counted - series.repeats - series.loose_repeats;
  into.quiet += series.quiet_moves;
  into.repeats += series.repeats;
  into.loose_repeats += series.loose_repeats;
  into.end = std::max(into.end, series.end);
  into.unit.marks =
      into.unit.marks.empty() ? marks_of(series) : sum(into.unit.marks, marks_of(series));
}

// Rounds of loops whose iterator does not count. Going backwards is certain. The same stack again may be the next round or
// one more block of the same instruction: it counts where rounds that are certain are none, or few and far between.
uint64_t Units::doubtful_rounds(const Loop& loop) {
  uint64_t again = loop.repeats + loop.loose_repeats;
  if (loop.repeats * kExactRepeatPart >= again)
    again = loop.repeats;  // else the sizes vary from round to round
  bool goes_back_by_itself = loop.quiet >= kQuietRounds && loop.quiet * 2 >= loop.backwards;
  const uint64_t certain = loop.backwards + loop.counted;
  if (goes_back_by_itself || again < kRepeatsPerRound * certain) return loop.backwards;
  return loop.backwards + again;
}

Units::Loop& Units::add_loop(Loop loop) {
  loops_below_.emplace(loop.prefix, loops_.size());
  return loops_.emplace_back(std::move(loop));
}

// `visit` gets positions in loops_, in the order in which they were added.
template <class Visit>
void Units::for_each_below(StackId prefix, Visit visit) const {
  auto [first, last] = loops_below_.equal_range(prefix);
  for (auto at = first; at != last; ++at) visit(at->second);
}

template <class Predicate>
Units::Loop* Units::loop_below(StackId prefix, Predicate is_wanted) {
  Loop* found = nullptr;
  for_each_below(place_of(prefix), [&](size_t i) {
    if (!found && is_wanted(loops_[i])) found = &loops_[i];
  });
  return found;
}

void Units::add_python_loops() {
  for (const Series& series : ledger_.series().subspan(1)) {
    auto kind = static_cast<SeriesKind>(series.kind);
    if (kind != SeriesKind::python_loop && kind != SeriesKind::python_rerun) continue;
    bool is_rerun = kind == SeriesKind::python_rerun;
    Loop* at = loop_below(series.prefix, [&](const Loop& l) {
      return l.owner == series.owner && l.start == series.start && l.is_rerun == is_rerun;
    });
    if (!at) {
      Loop loop;
      loop.prefix = place_of(series.prefix);
      loop.owner = series.owner;
      loop.start = series.start;
      loop.is_rerun = is_rerun;
      const ledger::Code& code = ledger_.code(series.owner);
      loop.unit.file = ledger_.string(code.file);
      loop.unit.line =
          static_cast<int>(is_rerun ? static_cast<uint32_t>(code.first_line) : series.line);
      loop.unit.function = ledger_.string(code.name);
      loop.unit.start = static_cast<int32_t>(series.start);
      loop.unit.is_users = is_user_file(loop.unit.file) && !is_rerun;
      if (!is_rerun) loop.unit.per = iteration_of(loop.unit.file, loop.unit.line);
      loop.unit.depth = series.prefix ? ledger_.stack(series.prefix).depth + 1 : 1;
      loop.unit.is_called_back = loop.unit.is_users && is_called_back(loop.prefix);
      at = &add_loop(std::move(loop));
    }
    merge(*at, series);
  }
}

// Code of a library stands between it and code of the user's further out.
bool Units::is_called_back(StackId prefix) const {
  bool is_in_library = false;
  for (StackId node : ledger_.nodes(prefix)) {
    const ledger::Frame& frame = ledger_.frame(ledger_.stack(node).frame);
    if (frame.kind != static_cast<uint32_t>(ledger::FrameKind::python)) continue;
    bool is_users = is_user_file(ledger_.string(ledger_.code(frame.owner).file));
    if (is_users && is_in_library) return true;
    is_in_library |= !is_users;
  }
  return false;
}

const std::vector<record::NativeLoop>& Units::loops_in(const ledger::Frame& frame,
                                                       uint64_t address) const {
  auto [entry, is_new] = native_loops_.try_emplace({frame.owner, frame.function});
  if (is_new) entry->second = &frames_.symbols().loops_around(frames_.address_of(frame, address));
  return *entry->second;
}

bool Units::is_in_loop(const ledger::Frame& frame) const {
  const std::vector<record::NativeLoop>& loops = loops_in(frame, frame.address - 1);
  return std::any_of(loops.begin(), loops.end(), [&](const record::NativeLoop& loop) {
    return loop.contains(frame.address - 1);
  });
}

// The innermost loop of the frame's function around both addresses.
const record::NativeLoop* Units::smallest_loop(const ledger::Frame& frame, uint64_t low,
                                               uint64_t high, bool of_users) {
  const record::NativeLoop* best = nullptr;
  // Loops of the system (operator new tries again in one) and of the interpreter say nothing of the program's steps.
  if (!frames_.is_user_module(frame.owner)) return nullptr;
  for (const record::NativeLoop& loop : loops_in(frame, low)) {
    bool is_users = loop.line > 0 && !is_system_path(loop.file);
    if (of_users && !is_users) continue;
    if (loop.contains(low) && loop.contains(high) && (!best || loop.depth > best->depth))
      best = &loop;
  }
  return best;
}

Units::Loop& Units::native_loop(StackId prefix, const ledger::Frame& frame,
                                const record::NativeLoop& found) {
  if (Loop* known = loop_below(prefix, [&](const Loop& l) { return l.native == &found; }))
    return *known;
  Loop loop;
  loop.prefix = place_of(prefix);
  loop.owner = frame.owner;
  loop.native = &found;
  loop.start = found.start;
  loop.end = found.end;
  loop.unit.file = found.file;
  loop.unit.line = found.line;
  loop.unit.is_users = found.line > 0 && !is_system_path(found.file);
  loop.unit.per = iteration_of(found.file, found.line);
  loop.unit.depth = prefix ? ledger_.stack(prefix).depth + 1 : 1;
  return add_loop(std::move(loop));
}

// A move names the function; the machine code names the loop. Without one there, the caller's call ran again.
bool Units::add_native_move(const Series& series, bool of_users) {
  ledger::Frame frame{};
  frame.owner = series.owner;
  frame.function = series.function;
  uint64_t low = series.start - 1, high = series.end - 1;
  StackId prefix = series.prefix;
  for (;;) {
    if (const record::NativeLoop* found = smallest_loop(frame, low, high, of_users)) {
      Loop& loop = native_loop(prefix, frame, *found);
      merge(loop, series);
      loop.end = found->end;
      return true;
    }
    if (!prefix) return false;
    frame = ledger_.frame(ledger_.stack(prefix).frame);
    if (frame.kind != static_cast<uint32_t>(ledger::FrameKind::native)) return false;
    low = high = frame.address - 1;
    prefix = ledger_.outer(prefix);
  }
}

void Units::add_native_loops() {
  for (const Series& series : ledger_.series().subspan(1)) {
    if (series.kind != static_cast<uint32_t>(SeriesKind::native_move)) continue;
    bool is_own = ledger_.string(ledger_.module(series.owner).path).empty();
    if (!is_own && series.count.load() < kFewestNativeMoves) continue;
    // An event loop of a library runs the user's code again and again, where no loop of the user's does.
    if (!add_native_move(series, true)) add_native_move(series, false);
  }
}

void Units::add_named() {
  for (const Series& series : ledger_.series().subspan(1)) {
    if (series.kind != static_cast<uint32_t>(SeriesKind::named)) continue;
    Unit unit;
    unit.per = ledger_.string({series.owner});
    unit.steps = series.count.load();
    unit.is_named = true;
    unit.is_frameworks = series.start == ledger::kFrameworksStep;
    unit.is_users = !unit.is_frameworks;
    unit.marks = marks_of(series);
    named_.push_back(std::move(unit));
  }
}

bool Units::holds(const Loop& loop, StackId node) const {
  if (place_of(ledger_.outer(node)) != loop.prefix) return false;
  const ledger::Frame& frame = ledger_.frame(ledger_.stack(node).frame);
  bool is_native = frame.kind == static_cast<uint32_t>(ledger::FrameKind::native);
  if (is_native != (loop.native != nullptr) || frame.owner != loop.owner) return false;
  if (loop.is_rerun) return true;
  if (is_native) return loop.native->contains(frame.address - 1);
  auto at = static_cast<uint64_t>(std::max(frame.lasti, 0));
  return loop.start <= at && at <= loop.end;
}

bool Units::encloses(const Loop& outer, const Loop& inner) {
  return outer.owner == inner.owner && (outer.native != nullptr) == (inner.native != nullptr) &&
         !outer.is_rerun && !inner.is_rerun && outer.start < inner.start && inner.end <= outer.end;
}

bool Units::is_narrower(const Loop& a, const Loop& b) {
  return a.unit.depth != b.unit.depth ? a.unit.depth > b.unit.depth
                                      : a.end - a.start < b.end - b.start;
}

// The narrowest loop around this one: in its own frame, or in a frame that its prefix runs through.
void Units::find_parent(Loop& loop) {
  auto consider = [&](size_t other) {
    if (loop.parent < 0 || is_narrower(loops_[other], loops_[static_cast<size_t>(loop.parent)]))
      loop.parent = static_cast<int>(other);
  };
  for_each_below(loop.prefix, [&](size_t i) {
    if (encloses(loops_[i], loop)) consider(i);
  });
  for (StackId node : ledger_.nodes(loop.prefix)) {
    for_each_below(place_of(ledger_.outer(node)), [&](size_t i) {
      if (holds(loops_[i], node)) consider(i);
    });
  }
}

// A loop comes round once less than it runs through, each time it is entered.
void Units::count_entries() {
  for (Loop& loop : loops_) find_parent(loop);
  std::vector<size_t> order(loops_.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return is_narrower(loops_[b], loops_[a]); });
  for (size_t i : order) {  // outer loops first
    Loop& loop = loops_[i];
    uint64_t outer = loop.parent < 0 ? 1 : loops_[static_cast<size_t>(loop.parent)].unit.steps;
    uint64_t moves = doubtful_rounds(loop);
    uint64_t all = loop.counted + loop.backwards + loop.repeats + loop.loose_repeats;
    uint64_t entries = loop.counted ? 0 : std::min(outer, std::max<uint64_t>(moves, 1));
    loop.unit.steps = loop.counted + moves + entries;
    loop.unit.most_steps = all + entries;
    if (loop.is_rerun) loop.unit.sure_calls = loop.backwards;
    double scale = all ? static_cast<double>(loop.unit.steps) / static_cast<double>(all) : 1;
    for (Unit::Mark& mark : loop.unit.marks) mark.count *= scale;
  }
}

std::vector<Unit> Units::around(StackId stack, uint32_t deepest) const {
  std::vector<Unit> result = named_;
  std::vector<const Loop*> found;
  for (StackId node : ledger_.nodes(stack)) {
    if (ledger_.stack(node).depth > deepest) continue;
    for_each_below(place_of(ledger_.outer(node)), [&](size_t i) {
      if (holds(loops_[i], node)) found.push_back(&loops_[i]);
    });
  }
  std::sort(found.begin(), found.end(), [](const Loop* a, const Loop* b) {
    return a->unit.depth != b->unit.depth ? a->unit.depth < b->unit.depth
                                          : a->end - a->start > b->end - b->start;
  });
  for (const Loop* loop : found) result.push_back(loop->unit);
  return result;
}

// When anything was first seen to come again, imports and what comes before the user's first block aside.
Tick Units::first_repeat() const {
  Tick first = ~Tick{0}, users = ~Tick{0};
  for (const Loop& loop : loops_) {
    if (!loop.unit.marks.empty() && !frames_.is_importing(loop.prefix))
      first = std::min(first, loop.unit.marks.front().tick);
  }
  for (const ledger::Site& site : ledger_.sites()) {
    if (site.births == 0 || site.first_tick >= users || frames_.is_importing(site.stack)) continue;
    const ReadableFrame* frame = frames_.frame_with_line(site.stack);
    if (frame && frame->is_user) users = site.first_tick;
  }
  return std::max(first, users);
}

Tick Units::first_tick() const {
  Tick first = 0;
  for (const Unit& unit : all()) {
    if (!unit.is_users || unit.steps < kRoundsOfALoop || unit.marks.empty()) continue;
    Tick began = unit.marks.front().tick;
    if (is_seen_late(unit)) began = std::min(began, first_repeat());
    if (first == 0 || began < first) first = began;
  }
  return first;
}

Tick Units::last_tick() const {
  Tick last = 0;
  for (const Unit& unit : all()) {
    if (unit.is_users && unit.steps >= kRoundsOfALoop && !unit.marks.empty())
      last = std::max(last, unit.marks.back().tick);
  }
  return last;
}

std::vector<Unit> Units::all() const {
  std::vector<Unit> result = named_;
  for (const Loop& loop : loops_) result.push_back(loop.unit);
  std::sort(result.begin(), result.end(),
            [](const Unit& a, const Unit& b) { return a.steps > b.steps; });
  return result;
}

// The rarest of a framework's steps: a batch rather than each of the calls in it.
std::optional<Unit> Units::frameworks_unit() const {
  std::optional<Unit> rarest;
  for (const Unit& unit : named_) {
    if (unit.is_frameworks && unit.steps >= kRoundsOfALoop &&
        (!rarest || unit.steps < rarest->steps))
      rarest = unit;
  }
  return rarest;
}

std::optional<Unit> Units::main_unit() const {
  const Unit* best = nullptr;
  auto span = [](const Unit& u) {
    return u.marks.empty() ? 0 : u.marks.back().tick - u.marks.front().tick;
  };
  auto consider = [&](const Unit& unit) {
    if (!unit.is_users || unit.steps < kRoundsOfALoop) return;
    if (!best || span(unit) > span(*best)) best = &unit;
  };
  for (const Unit& unit : named_) consider(unit);
  if (best) return *best;
  for (const Loop& loop : loops_) consider(loop.unit);
  std::optional<Unit> frameworks = frameworks_unit();
  bool is_within = best && frameworks && best->is_called_back && best->steps < frameworks->steps;
  if (!best || is_within) return frameworks;
  // The outermost loop that covers nearly as much.
  Tick enough = span(*best) - span(*best) / kUncoveredPart;
  for (const Loop& loop : loops_) {
    bool is_outer = loop.unit.depth < best->depth ||
                    (loop.unit.depth == best->depth && loop.unit.steps < best->steps);
    if (loop.unit.is_users && loop.unit.steps >= kRoundsOfALoop && span(loop.unit) >= enough &&
        is_outer)
      best = &loop.unit;
  }
  return best ? std::optional<Unit>(*best) : std::nullopt;
}

}  // namespace tenure::analyze
