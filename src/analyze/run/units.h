// analyze/run/units.h: the units growth is counted in: loops found by themselves, named steps, runs of a line.
// World: offline. Pure over a ledger; one per ledger.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analyze/run/frames.h"

namespace tenure::analyze {

// A series with its marks: how many steps had been taken at each tick.
struct Unit {
  std::string per;          // a text: an iteration of a line, a run of one, or the name of a step
  uint64_t steps = 0;       // all that were seen
  uint64_t most_steps = 0;  // with those that may be one more block of the same round
  uint32_t depth = 0;       // of the frame with the loop; 1 is outermost; 0: not bound to a stack
  bool is_named = false;
  bool is_users = false;        // the loop stands in the user's own code
  bool is_frameworks = false;   // a framework counts it: a run of a session, a batch
  bool is_called_back = false;  // the loop stands in code of the user's that a library calls
  bool is_of_line = false;      // no loop: the runs of a line, by the blocks it made
  bool is_estimated = false;    // its steps, or how often something happened in them
  uint64_t sure_calls = 0;      // no loop but a function that was certainly called again, so often
  std::string file;             // where it stands, if it does
  std::string function;
  int line = 0;
  int32_t start = 0;  // of a Python loop: its first instruction
  struct Mark {
    Tick tick;
    double count;
  };
  std::vector<Mark> marks;  // ascending; starts at {first tick, 0}

  double count_at(Tick tick) const;  // interpolated
  double step_at(Tick tick) const;   // the step a birth belongs to: 1 to `steps`
  double place_of(Tick tick) const;  // along the run: in steps, or in ticks where none were counted
  // A loop of the parent's that a forked child goes on with does not.
  bool comes_round_between(Tick first, Tick last) const {
    return count_at(last) - count_at(first) >= 1;
  }

  bool is_same(const Unit& other) const;  // the same loop, entered the same way
};

// What growth is counted in where no unit encloses a line.
std::string run_of(const std::string& file, int line);
// The same of code without lines.
std::string block_of(const std::string& function, const std::string& file);

class Units {
 public:
  // `steps`: auto, none (no unit at all but the line itself), or the name of a series.
  explicit Units(Frames& frames, const std::string& steps = "auto",
                 bool is_from_first_step = false);

  // Units that enclose this stack, outermost first; a unit deeper than `deepest` (a loop inside a library call) is left out.
  std::vector<Unit> around(StackId stack, uint32_t deepest) const;

  // When the first loop or step of the user's own began, and when the last one ended; 0 if none was seen.
  Tick first_tick() const;
  Tick last_tick() const;

  // Where one series was asked for, and nothing that was made before it: when its first step was; 0 otherwise. What was made before is not its growth.
  Tick asked_from() const { return asked_from_; }

  // Whether native code calls from inside a loop of its function.
  bool is_in_loop(const ledger::Frame& frame) const;

  // The first stack that is the same but for the instruction within a line.
  StackId place_of(StackId stack) const {
    return stack.value < places_.size() ? places_[stack.value] : StackId{};
  }

  // Every unit seen, most steps first.
  std::vector<Unit> all() const;

  // The user's loop or step that came round most evenly over the run; what the report counts in when nothing grew.
  std::optional<Unit> main_unit() const;

 private:
  std::optional<Unit> frameworks_unit() const;
  Tick first_repeat() const;

  struct Loop {
    Unit unit;
    StackId prefix;
    uint32_t owner = 0;                          // code, or module
    const record::NativeLoop* native = nullptr;  // in native_loops_
    bool is_rerun = false;
    uint64_t start = 0, end = 0;  // offsets in the code; native: addresses - base
    uint64_t counted = 0, backwards = 0, quiet = 0, repeats = 0,
             loose_repeats = 0;  // see ledger::Series
    int parent = -1;             // the loop this one runs inside
  };
  void join_stacks();
  Loop& add_loop(Loop loop);
  template <class Visit>
  void for_each_below(StackId prefix, Visit visit) const;
  template <class Predicate>
  Loop* loop_below(StackId prefix, Predicate is_wanted);  // nullptr: none
  void add_python_loops();
  void add_native_loops();
  Loop& native_loop(StackId prefix, const ledger::Frame& frame, const record::NativeLoop& found);
  const std::vector<record::NativeLoop>& loops_in(const ledger::Frame& frame,
                                                  uint64_t address) const;
  // `of_users`: in code of the user's own, and not inlined from a library.
  const record::NativeLoop* smallest_loop(const ledger::Frame& frame, uint64_t low, uint64_t high,
                                          bool of_users);
  bool add_native_move(const ledger::Series& series, bool of_users);
  void add_named();
  void find_parent(Loop& loop);
  void count_entries();
  bool is_called_back(StackId prefix) const;
  bool holds(const Loop& loop, StackId node) const;  // the frame of `node` is inside the loop
  static void merge(Loop& into, const ledger::Series& series);
  static bool encloses(const Loop& outer, const Loop& inner);  // both in the same frame
  static bool is_narrower(const Loop& a, const Loop& b);
  static uint64_t doubtful_rounds(const Loop& loop);

  Frames& frames_;
  const ledger::Reader& ledger_;
  std::vector<StackId> places_;  // by stack: the first stack that is the same place
  std::vector<Loop> loops_;
  std::multimap<StackId, size_t> loops_below_;  // by prefix: positions in loops_
  std::vector<Unit> named_;
  Tick asked_from_ = 0;
  mutable std::map<std::pair<uint32_t, uint64_t>, const std::vector<record::NativeLoop>*>
      native_loops_;  // by module and function; of the symbols
};

}  // namespace tenure::analyze
