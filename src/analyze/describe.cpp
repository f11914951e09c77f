#include "analyze/describe.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "analyze/kept_at.h"
#include "analyze/makers.h"
#include "analyze/source_line.h"
#include "base/source_path.h"

namespace tenure::analyze {
namespace {

using ledger::BlockKind;

// Libraries whose blocks belong to Python objects: the interpreter, its extension modules, installed packages.
bool asks_for_python(const ledger::Reader& ledger, const ledger::Site& site) {
  std::string_view path = ledger.string(ledger.module(site.asker.value).path);
  if (path.empty())
    return !ledger.fact("python").empty();  // the interpreter itself, when it is a static build
  return is_of_package(path) || contains(path, "/lib-dynload/") || contains(path, "libpython");
}

// Whether a snapshot shows who holds most of it. One block that is replaced says nothing about piles.
bool is_held(const ExplainedGrowth& e) {
  return e.held && e.held->is_most && e.growth.what != GrowthClass::growing_block;
}

std::string kind_of_manner(Manner manner) {
  switch (manner) {
    case Manner::frame:
      return "retained-frame";
    case Manner::view:
      return "retained-view";
    case Manner::gradients:
      return "retained-autograd";
    case Manner::cycle:
      return "retained-cycle";
    case Manner::native:
      return "native-growth";
    case Manner::python:
      break;
  }
  return "retained-python";
}

std::string kind_of(Frames& frames, const Growth& growth) {
  const ledger::Reader& ledger = frames.ledger();
  const ledger::Site& site = ledger.sites()[growth.sites[0].value];
  if (growth.block_kind == BlockKind::shared_segment || growth.block_kind == BlockKind::shared_map)
    return "shared-memory";
  if (growth.block_kind == BlockKind::object_arena) return "retained-python";
  const ReadableFrame* user = frames.user_frame(site.stack);
  return user && user->is_python && asks_for_python(ledger, site) ? "retained-python"
                                                                  : "native-growth";
}

// A named segment belongs to no process: it is the system's until it is unlinked.
Holder segments_of(const Growth& growth) {
  return {fmt::format("/dev/shm, {} named segments; closing a SharedMemory does not end them",
                      growth.count),
          {}};
}

// Native code has no names for holders; the member function that made the block is the nearest there is.
std::optional<Holder> native_maker(const std::vector<const ReadableFrame*>& callers) {
  const ReadableFrame* best = nullptr;
  for (const ReadableFrame* frame : callers) {
    size_t colons = frame->function.find("::");
    if (colons == std::string::npos) continue;
    std::string type = frame->function.substr(0, colons), name = frame->function.substr(colons + 2);
    if (name.rfind(type, 0) == 0) continue;  // a constructor: the thing itself
    best = frame;
  }
  if (!best) return std::nullopt;
  Holder holder;
  holder.text = fmt::format("native memory, made through {}()", best->function);
  return holder;
}

std::string why_of(const Growth& growth, const std::string& kind) {
  if (growth.what == GrowthClass::growing_block)
    return "one block is replaced by a bigger one again and again";
  if (growth.block_kind == BlockKind::shared_map)
    return fmt::format("{} shared mappings made here are still there", growth.count);
  if (kind == "shared-memory")
    return fmt::format("{} segments made here were never unlinked", growth.count);
  if (growth.block_kind == BlockKind::object_arena)
    return "small Python objects pile up; which ones is not known yet";
  if (kind == "native-growth")
    return fmt::format("{} blocks made here were never freed", growth.count);
  return fmt::format("{} blocks made here, all along the run, are still alive", growth.count);
}

std::string fix_of(const Growth& growth, const std::string& kind) {
  if (growth.what == GrowthClass::growing_block)
    return "keep the pieces in a list and join them once, or bound what is kept";
  if (growth.block_kind == BlockKind::shared_map)
    return "let go of each mapping when it is no longer needed";
  if (kind == "shared-memory") return "unlink each segment when its last reader is done";
  if (kind == "native-growth")
    return "free each block when it is no longer needed, or bound what keeps it";
  return "";
}

// What hangs from a cache that an adapter saw fill belongs to it, whichever line made it: `tape_cache` of script_ops. What
// only native code holds belongs to the tapes that pile up: they keep what was made outside of them and recorded, too.
bool is_held_by(const ExplainedGrowth& growth, const GrowthCause& cause) {
  if (!is_held(growth)) return false;
  if (cause.kind == "retained-autograd") return growth.held->manner == Manner::native;
  if (cause.kind != "cache-growth") return false;
  std::string name = cause.holder.substr(cause.holder.find_last_of(" .") + 1);
  return growth.held->holder.text.find("`" + name + "`") != std::string::npos;
}

// Objects that pile up own native memory too: what nobody is seen to hold, grows with them and is little beside them.
bool is_owned_by(const ExplainedGrowth& native, const ExplainedGrowth& objects) {
  constexpr uint64_t kLittle = 4;  // a quarter
  bool is_nameless = !native.held || native.held->manner == Manner::native;
  return is_nameless && is_held(objects) && objects.held->is_of_objects &&
         native.growth.what == objects.growth.what && native.growth.per == objects.growth.per &&
         native.growth.bytes * kLittle <= objects.growth.bytes;
}

// Blocks that die and survive together have one cause: the same function, and the same part of their births alive.
bool share_a_cause(Frames& frames, const ExplainedGrowth& one, const ExplainedGrowth& other) {
  if (one.growth.cause && other.growth.cause) return false;
  bool have_one_holder = is_held(one) && is_held(other) && one.held->key == other.held->key;
  if (one.growth.cause) return have_one_holder || is_held_by(other, *one.growth.cause);
  if (other.growth.cause) return have_one_holder || is_held_by(one, *other.growth.cause);
  if (is_owned_by(other, one)) return true;
  if (is_held(one) && is_held(other)) return have_one_holder;
  const Growth &a = one.growth, &b = other.growth;
  const ledger::Reader& ledger = frames.ledger();
  const ReadableFrame* x = frames.user_frame(ledger.sites()[a.sites[0].value].stack);
  const ReadableFrame* y = frames.user_frame(ledger.sites()[b.sites[0].value].stack);
  if (!x || !y || x->file != y->file || x->function != y->function || a.per != b.per ||
      a.what != b.what)
    return false;
  double alive_a = static_cast<double>(a.count) / std::max(1.0, a.births),
         alive_b = static_cast<double>(b.count) / std::max(1.0, b.births);
  bool is_part = alive_a < 0.95 && alive_b < 0.95;
  return is_part && std::abs(static_cast<double>(a.count) - static_cast<double>(b.count)) <=
                        0.05 * static_cast<double>(a.count) + 1;
}

std::vector<ExplainedGrowth> join(Frames& frames, std::vector<ExplainedGrowth> growths) {
  std::vector<ExplainedGrowth> joined;
  for (ExplainedGrowth& growth : growths) {
    auto at = std::find_if(joined.begin(), joined.end(), [&](const ExplainedGrowth& g) {
      return share_a_cause(frames, g, growth);
    });
    if (at == joined.end()) {
      joined.push_back(std::move(growth));
      continue;
    }
    Growth &into = at->growth, &other = growth.growth;
    into.bytes += other.bytes;
    into.bytes_per_step += other.bytes_per_step;
    into.sites.insert(into.sites.end(), other.sites.begin(), other.sites.end());
    if (!at->held) at->held = std::move(growth.held);
    if (!into.cause) into.cause = std::move(other.cause);
  }
  return joined;
}

Severity severity_of(const Growth& growth) {
  bool is_leak = growth.what == GrowthClass::leak || growth.what == GrowthClass::growing_block;
  return is_leak ? Severity::leak : Severity::warning;
}

// Garbage that the collector will find is a leak only where much of it waits.
bool is_little_garbage(Frames& frames, const ExplainedGrowth& e) {
  constexpr uint64_t kLeastGarbage = 16 << 20;
  if (!is_held(e) || e.held->manner != Manner::cycle) return false;
  return e.growth.bytes < kLeastGarbage ||
         e.growth.bytes * 10 < frames.ledger().header().peak_bytes.load();
}

// Libraries keep what they compiled, so many pieces and no more: it fills as long as new shapes come.
bool is_cache_of_code(const ExplainedGrowth& e) { return e.growth.is_of_compiler && !is_held(e); }

void say_cache_of_code(const Growth& growth, Finding& f) {
  f.kind = "cache-growth";
  f.severity = Severity::warning;
  f.why = fmt::format(
      "a library compiles code here, as for each new shape or type, and keeps what belongs to it: "
      "{} blocks",
      growth.count);
  f.fix = "";
}

void add_holder(const ExplainedGrowth& e, Finding& f) {
  if (!e.held) return;
  f.holder = e.held->holder;
  if (!is_held(e) || f.kind == "shared-memory") return;
  f.kind = kind_of_manner(e.held->manner);
  if (e.growth.what == GrowthClass::suspected) return;
  f.why = e.held->why;
  if (f.severity == Severity::leak) f.fix = e.held->fix;
}

// Who keeps the things that pile up; nullptr: not known.
const Holder* keeper_of(const ExplainedGrowth& e) {
  bool is_named = is_held(e) && e.held->is_of_things && e.held->manner != Manner::cycle;
  return is_named ? &e.held->holder : nullptr;
}

// Things that a global of a library keeps are in a cache of it.
void add_cause(const ExplainedGrowth& e, Finding& f) {
  const Holder* keeper = keeper_of(e);
  name_cause(*e.growth.cause, keeper, f);
  if (keeper && e.held->is_in_library && f.kind == "retained-python") f.kind = "cache-growth";
}

// The line that last needed more room in the container is the one that fills it, and the first to look at.
void add_table(Frames& frames, SiteId table, Finding& f) {
  const ReadableFrame* user = frames.user_frame(frames.ledger().sites()[table.value].stack);
  if (!user) return;
  std::erase_if(f.where,
                [&](const Place& p) { return p.file == user->file && p.line == user->line; });
  f.where.insert(f.where.begin(), place_of(*user, "kept at"));
}

// The line that stores, behind the first that makes, unless that is the same. One that makes less is told for storing.
// Named segments are there whoever keeps what.
void add_kept_at(const Frames& frames, const ExplainedGrowth& e, Finding& f) {
  if (!is_held(e) || e.growth.block_kind == BlockKind::shared_segment) return;
  if (e.growth.cause && !e.held->is_of_things) return;
  std::optional<Place> kept = kept_at(frames, e.held->kept);
  if (!kept) return;
  auto is_kept = [&](const Place& p) { return p.file == kept->file && p.line == kept->line; };
  if (!f.where.empty() && is_kept(f.where.front())) return;
  std::erase_if(f.where, is_kept);
  f.where.insert(f.where.begin() + (f.where.empty() ? 0 : 1), std::move(*kept));
}

double confidence_of(const Growth& growth) {
  if (growth.what == GrowthClass::suspected) return 0.4;
  if (growth.what == GrowthClass::too_short) return 0.3;
  double surety = 1 - std::exp(-growth.survivors / 8);
  return growth.is_estimated ? 0.8 * surety : 0.95 * surety;
}

// Of the biggest site. A node's backward belongs to the line that made the node.
std::string op_text(Frames& frames, const ledger::Site& site) {
  std::string op = op_of(frames, site);
  const ReadableFrame* forward = site.forward ? frames.user_frame(site.forward) : nullptr;
  if (op.empty() || !forward || !forward->is_user) return op;
  return fmt::format("{} ({})", op, short_place(forward->file, forward->line));
}

Finding describe(Frames& frames, const ExplainedGrowth& explained, const std::string& grown_type) {
  const Growth& growth = explained.growth;
  Finding f;
  f.kind = kind_of(frames, growth);
  f.severity = is_little_garbage(frames, explained) ? Severity::warning : severity_of(growth);
  f.title = growth_title(growth.bytes_per_step, growth.bytes);
  f.why = growth.what == GrowthClass::suspected ? fmt::format("it grows, but {}", growth.missing)
                                                : why_of(growth, f.kind);
  f.fix = f.severity == Severity::leak ? fix_of(growth, f.kind) : "";
  f.confidence = confidence_of(growth);
  std::vector<const ReadableFrame*> first;
  for (SiteId id : growth.sites) {
    std::vector<const ReadableFrame*> callers =
        user_frames(frames, frames.ledger().sites()[id.value].stack);
    if (first.empty()) first = callers;
    if (callers.empty()) continue;
    Place made = place_of(*callers[0], "made at");
    if (!has_place(f, made.file, made.line) && f.where.size() < 4) f.where.push_back(made);
  }
  for (size_t i = 1; i < first.size() && i < 3; ++i)
    f.where.push_back(place_of(*first[i], "made at"));
  if (f.kind == "native-growth") f.holder = native_maker(first);
  if (growth.block_kind == BlockKind::shared_segment) f.holder = segments_of(growth);
  if (growth.block_kind == BlockKind::object_arena && !grown_type.empty())
    f.holder = Holder{fmt::format("small Python objects: {}", grown_type), {}};
  if (is_cache_of_code(explained)) say_cache_of_code(growth, f);
  add_holder(explained, f);
  if (growth.cause) add_cause(explained, f);
  if (explained.held && explained.held->table)
    add_table(frames, explained.held->table, f);
  else
    add_kept_at(frames, explained, f);
  f.op = op_text(frames, frames.ledger().sites()[growth.sites[0].value]);
  f.bytes = growth.bytes;
  f.count = growth.count;
  if (growth.steps) {
    f.bytes_per_step = growth.bytes_per_step;
    f.steps = growth.steps;
  }
  f.per = growth.per;
  return f;
}

}  // namespace

std::vector<const ReadableFrame*> user_frames(Frames& frames, StackId stack) {
  std::vector<const ReadableFrame*> found;
  for (const ReadableFrame& frame : frames.of(stack)) {
    if (frame.is_user && (found.empty() || found.back()->function != frame.function))
      found.push_back(&frame);
  }
  if (found.empty()) {
    if (const ReadableFrame* frame = frames.user_frame(stack)) found.push_back(frame);
  }
  return found;
}

Place place_of(const ReadableFrame& frame, const std::string& role) {
  return {frame.file, frame.line, frame.function, role, read_source_line(frame.file, frame.line)};
}

std::vector<Finding> describe_growth(Frames& frames, std::vector<ExplainedGrowth> growths,
                                     const std::string& grown_type) {
  std::vector<Finding> findings;
  for (const ExplainedGrowth& growth : join(frames, std::move(growths)))
    findings.push_back(describe(frames, growth, grown_type));
  return findings;
}

}  // namespace tenure::analyze
