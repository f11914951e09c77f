// tests/unit/analyze/run_builder.h: the ledger of an invented run, written by the same tables as a real one, and judged.
// World: tests. One thread. The clocks are told: each birth takes a millisecond, `work` takes time without births, and in
// `wait` the program uses no processor.
#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "../ledger/memory_ledger.h"
#include "analyze/analysis.h"
#include "base/sentence.h"
#include "inproc/accounting/history.h"
#include "inproc/accounting/sampling.h"
#include "inproc/accounting/site_table.h"
#include "inproc/stacks/series_table.h"
#include "inproc/stacks/stack_table.h"
#include "ledger/image.h"

namespace tenure::analyze {

class RunBuilder {
 public:
  struct Block {
    SiteId site;
    uint64_t bytes = 0;
    uint32_t ordinal = 0;
    ledger::BlockKind kind = ledger::BlockKind::heap;
  };

  RunBuilder() {
    stacks_.start(&ledger_.writer());
    sites_.start(&ledger_.writer());
    series_.start(&ledger_.writer());
    history_.start(&ledger_.writer(), &series_);
    ledger::Code code{string("train.py"), string("train"), 1, 0};
    code_ = stacks_.code(code);
    ledger::Header& h = ledger_.writer().header();
    h.pid = kPid;
    h.exact_threshold = 1024;
    h.sample_mean = 32 << 10;
  }

  // From here on train() is called by this line of another function.
  void call_from(uint32_t line) {
    ledger::Code code{string("train.py"), string("main"), 1, 0};
    ledger::Frame frame = frame_at(stacks_.code(code), line, 0);
    caller_ = stacks_.stack(StackId{}, stacks_.frame(frame));
  }

  // From here on train() is called by this file of a library, which another function of the user's calls.
  void call_back_from(const std::string& library) {
    call_from(30);
    ledger::Code code{string(library), string("fit"), 1, 0};
    library_ = {.kind = ledger::SeriesKind::python_loop, .prefix = caller_, .line = 4, .end = 100};
    library_.owner = stacks_.code(code).value;
    caller_ = stacks_.stack(caller_, stacks_.frame(frame_at({library_.owner}, 5, 0)));
  }

  // The next round of the loop in that library.
  void library_round() { series_.count(series_.find(library_), inproc::Move::counted); }

  // The next round of the loop at this line of train(). Its body is the ten lines below it.
  void round(uint32_t loop_line) { rounds(loop_line, 1); }
  // So many at once: it is seen only then.
  void rounds(uint32_t loop_line, uint64_t count) {
    inproc::SeriesKey key{};
    key.kind = ledger::SeriesKind::python_loop;
    key.prefix = caller_;
    key.owner = code_.value;
    key.line = loop_line;
    key.start = loop_line * 10;
    key.end = key.start + 109;
    series_.count(series_.find(key), inproc::Move::counted, count);
  }

  // The next step that a framework counts by itself.
  void framework_step(const std::string& name) {
    inproc::SeriesKey key{};
    key.kind = ledger::SeriesKind::named;
    key.owner = string(name).value;
    key.start = ledger::kFrameworksStep;
    series_.count(series_.find(key), inproc::Move::backwards);
  }

  // `call`: which one of the line's, at most nine. Each has a site of its own.
  Block born(uint32_t line, uint64_t bytes, bool is_resize = false, int32_t call = 0) {
    return born_at(site_at(line, call), bytes, is_resize);
  }

  // Made by this library at the line, as a block or as code that it generates.
  Block born_in_library(uint32_t line, uint64_t bytes, ModuleId library, ledger::BlockKind kind) {
    SiteId site = sites_.find({stack_at(line), kind});
    sites_.describe(site, library, {});
    return born_at(site, bytes, false, kind);
  }

  // One that was drawn among blocks of this size, and stands for them.
  Block born_as_sample(uint32_t line, uint64_t bytes) {
    SiteId site = sites_.find({stack_at(line), ledger::BlockKind::small_heap});
    return born_at(site, bytes, false, ledger::BlockKind::small_heap);
  }

  // From here on the governor has blocks below this size sampled.
  void raise_threshold(uint32_t bytes) { ledger_.writer().header().exact_threshold = bytes; }

  ModuleId module(const std::string& path) {
    ledger::Module module{};
    module.path = string(path);
    return stacks_.module(module);
  }

  // Made below Tenure's own code, which a function that the line called has told of. `asker`: who called malloc.
  Block born_in_adapter(uint32_t line, uint64_t bytes, ModuleId asker = {}) {
    ledger::Code code{string("<tenure>/_torch.py"), string("after_backward"), 1, 0};
    FrameId frame = stacks_.frame(frame_at(stacks_.code(code), 1, 0));
    StackId stack = stacks_.stack(stack_at(line), frame);
    SiteId site = sites_.find({stack, ledger::BlockKind::heap});
    sites_.describe(site, asker, {});
    return born_at(site, bytes, false);
  }

  void end(const Block& block) {
    ledger::Header& h = ledger_.writer().header();
    inproc::SiteTable::Fall fall = sites_.end(block.site, block.ordinal, h.tick.load(),
                                              inproc::weight_of(block.bytes, block.kind));
    if (fall != inproc::SiteTable::Fall::none)
      sites_.note_release(block.site, fall, stack_at(kReleasingLine), {h.tick.load(), cpu_ns_});
    h.live_bytes.fetch_sub(block.bytes);
  }
  void make_and_end(uint32_t line, uint64_t bytes) { end(born(line, bytes)); }

  // An adapter saw this happen at the line, once more.
  void cause(uint32_t line, Kind kind, CauseRank rank = CauseRank::responsible,
             uint64_t number = 1) {
    EncodedSentence<100> key(code(rank));
    key.with("cause", number).with("line", "train.py:" + std::to_string(line));
    ledger::Cause cause{};
    cause.kind = string(code(kind));
    cause.holder = string("the thing that grows");
    cause.why = string("it was seen to happen");
    cause.fix = string("let it not happen");
    cause.stack = stack_at(line);
    history_.count_cause(string(key.text()), cause);
  }

  // The same at the line that calls train().
  void cause_of_caller(uint32_t line, Kind kind, CauseRank rank) {
    StackId callee = std::exchange(caller_, StackId{});
    CodeId code = std::exchange(code_, stacks_.code({string("train.py"), string("main"), 1, 0}));
    cause(line, kind, rank);
    caller_ = callee;
    code_ = code;
  }

  // A session or the like, made at the line; `ended_line` 0: it is open.
  void scope(ScopeType type, uint32_t line, uint64_t items, uint32_t ended_line = 0) {
    uint32_t scope = history_.add_scope(string(code(type)), string("its name"), stack_at(line));
    history_.set_fill(scope, items, 10 * items);
    if (ended_line)
      history_.set_state(scope, string(code(ScopeState::closed)), stack_at(ended_line));
  }

  void wait(double seconds) { clock_ns_ += static_cast<uint64_t>(seconds * 1e9); }
  void work(double seconds) {
    wait(seconds);
    cpu_ns_ += static_cast<uint64_t>(seconds * 1e9);
  }

  // The program waited for a snapshot, and took so much processor time for it.
  void pause(double seconds, double cpu_seconds) {
    wait(seconds);
    cpu_ns_ += static_cast<uint64_t>(cpu_seconds * 1e9);
    auto& event = ledger_.add<ledger::Event>(ledger::TableId::events);
    event.kind = static_cast<uint32_t>(ledger::EventKind::pause);
    event.value = static_cast<uint64_t>(cpu_seconds * 1e9);
    event.tick = ledger_.writer().header().tick.load();
    event.mono_ns = clock_ns_;
  }

  // What an adapter tells of this process alone.
  void note(const std::string& key, const std::string& value) {
    ledger_.add<ledger::Fact>(ledger::TableId::facts) = {string(key), string(value)};
  }

  // A stretch with a name, as a cell of a notebook is one.
  void begin_mark(const std::string& name) { note("mark." + name, "begin " + moment()); }
  void end_mark(const std::string& name, uint64_t peak_rise) {
    note("mark." + name, "end " + moment() + " " + std::to_string(peak_rise));
  }

  // The program is run by this interpreter; else it is native.
  void run_by(const std::string& interpreter) { note("interpreter", interpreter); }

  // The interpreter begins to take everything apart.
  void teardown() {
    auto& event = ledger_.add<ledger::Event>(ledger::TableId::events);
    event.kind = static_cast<uint32_t>(ledger::EventKind::teardown);
    event.tick = ledger_.writer().header().tick.load();
    event.mono_ns = clock_ns_;
    event.cpu_ns = cpu_ns_;
  }

  // The ledger as a file has it.
  std::vector<char> bytes() {
    ledger_.writer().header().ended_mono_ns.store(clock_ns_);
    ledger_.writer().header().ended_cpu_ns.store(cpu_ns_);
    return ledger::copy_used(ledger_.memory());
  }

  // A run of one process that ended by itself.
  static tenure::record::Record record_of(ledger::Reader ledger) {
    tenure::record::Record record;
    record.outcome.arguments = {"python", "train.py"};
    record.outcome.main_pid = kPid;
    record.outcome.has_ended = true;
    record.outcome.processes.push_back({.pid = kPid, .ledger = "ledger.7"});
    record.ledgers.emplace(0, std::move(ledger));
    return record;
  }

  tenure::record::Record record() {
    return record_of(std::move(*ledger::Reader::from_bytes(bytes(), "an invented run")));
  }

  Findings judge(int signal = 0) {
    tenure::record::Record run = record();
    run.outcome.signal = signal;
    return analyze::judge(run, {});
  }

  // The same with what a snapshot saw shortly before the end.
  Findings judge_with(ledger::Snapshot snapshot) {
    tenure::record::Record run = record();
    run.snapshots[0].push_back(std::move(snapshot));
    return analyze::judge(run, {});
  }

 private:
  static constexpr int kPid = 7;
  static constexpr uint32_t kReleasingLine = 90;

  Block born_at(SiteId site, uint64_t bytes, bool is_resize,
                ledger::BlockKind kind = ledger::BlockKind::heap) {
    Block block{site, bytes, 0, kind};
    ledger::Header& h = ledger_.writer().header();
    Tick tick = h.tick.fetch_add(1) + 1;
    work(0.001);
    block.ordinal = sites_.birth(block.site, tick, inproc::weight_of(bytes, kind), is_resize);
    uint64_t live = h.live_bytes.fetch_add(bytes) + bytes;
    if (live > h.peak_bytes.load()) {
      h.peak_bytes.store(live);
      h.peak_tick.store(tick);
      ++h.peak_epoch;
    }
    ledger_.add<ledger::TimelineEntry>(ledger::TableId::timeline) = {tick, clock_ns_, live,
                                                                     cpu_ns_};
    return block;
  }

  std::string moment() {
    const ledger::Header& h = ledger_.writer().header();
    return std::to_string(h.tick.load()) + " " + std::to_string(h.live_bytes.load());
  }

  StringId string(const std::string& text) {
    return stacks_.string(text.data(), static_cast<uint32_t>(text.size()));
  }
  static ledger::Frame frame_at(CodeId code, uint32_t line, int32_t call) {
    ledger::Frame frame{};
    frame.kind = static_cast<uint32_t>(ledger::FrameKind::python);
    frame.owner = code.value;
    frame.line = line;
    frame.lasti = static_cast<int32_t>(line * 10) + call;
    return frame;
  }
  StackId stack_at(uint32_t line, int32_t call = 0) {
    return stacks_.stack(caller_, stacks_.frame(frame_at(code_, line, call)));
  }
  SiteId site_at(uint32_t line, int32_t call) {
    return sites_.find({stack_at(line, call), ledger::BlockKind::heap});
  }

  ledger::MemoryLedger ledger_;
  inproc::StackTable stacks_;
  inproc::SiteTable sites_;
  inproc::SeriesTable series_;
  inproc::History history_;
  CodeId code_;
  inproc::SeriesKey library_{};  // the loop that calls back
  StackId caller_;
  uint64_t clock_ns_ = 1'000'000'000, cpu_ns_ = 1'000'000'000;
};

}  // namespace tenure::analyze
