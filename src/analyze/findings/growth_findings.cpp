#include "analyze/findings/growth_findings.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "analyze/findings/acts.h"
#include "analyze/findings/rules.h"
#include "analyze/findings/severity.h"
#include "analyze/growth/rules.h"
#include "analyze/heap/called_function.h"
#include "analyze/heap/kept_at.h"
#include "analyze/run/allocating_op.h"
#include "base/sentence_writer.h"
#include "base/short_place.h"
#include "base/source_path.h"
#include "base/whole.h"

namespace tenure::analyze {
namespace {

using ledger::BlockKind;

constexpr const char* kIgnoreCall = "tenure.ignore()";

// Libraries whose blocks belong to Python objects: the interpreter, its extension modules, installed packages.
bool asks_for_python(const ledger::Reader& ledger, const ledger::Site& site) {
  std::string_view path = ledger.string(ledger.module(site.asker.value).path);
  if (path.empty())
    return !ledger.fact("python").empty();  // the interpreter itself, when it is a static build
  return is_of_package(path) || contains(path, "/lib-dynload/") || contains(path, "libpython");
}

Kind kind_of_retention(RetentionKind retention_kind) {
  switch (retention_kind) {
    case RetentionKind::frame:
      return Kind::retained_frame;
    case RetentionKind::view:
      return Kind::retained_view;
    case RetentionKind::gradients:
      return Kind::retained_autograd;
    case RetentionKind::cycle:
      return Kind::retained_cycle;
    case RetentionKind::native:
      return Kind::native_growth;
    case RetentionKind::python:
      break;
  }
  return Kind::retained_python;
}

Kind kind_of(Frames& frames, const Growth& growth) {
  const ledger::Reader& ledger = frames.ledger();
  const ledger::Site& site = ledger.sites()[growth.sites[0].value];
  if (growth.block_kind == BlockKind::shared_segment || growth.block_kind == BlockKind::shared_map)
    return Kind::shared_memory;
  if (growth.block_kind == BlockKind::object_arena) return Kind::retained_python;
  const ReadableFrame* user = frames.user_frame(site.stack);
  return user && user->is_python && asks_for_python(ledger, site) ? Kind::retained_python
                                                                  : Kind::native_growth;
}

// Samples are no count: "about 57,000" of 57,123.
std::string blocks_text(const Growth& growth) {
  if (!growth.is_estimated) return std::to_string(whole(growth.blocks));
  double unit =
      std::pow(10, std::max(0.0, std::floor(std::log10(std::max(growth.blocks, 1.0))) - 1));
  return sentence("count.about", {{"count", whole(std::round(growth.blocks / unit) * unit)}});
}

// A named segment belongs to no process: it is the system's until it is unlinked.
Holder segments_of(const Growth& growth) {
  return {sentence("growth.segments.holder", {{"count", blocks_text(growth)}}), {}, ""};
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
  return Holder{sentence("growth.native.holder", {{"function", best->function}}), {}, ""};
}

// Of a growth that misses one condition: which.
std::string what_speaks_against(const Growth& growth) {
  switch (growth.rule) {
    case Rule::few_late_steps:
      return sentence("growth.but.few_late_steps");
    case Rule::bursts:
      return sentence("growth.but.bursts");
    default:
      return sentence("growth.but.small_objects");
  }
}

std::string why_of(const Growth& growth, Kind kind) {
  if (growth.what == GrowthClass::growing_block)
    return sentence(growth.is_arena ? "growth.arena.why" : "growth.one_block.why");
  if (growth.block_kind == BlockKind::shared_map)
    return sentence("growth.mappings.why", {{"count", blocks_text(growth)}});
  if (kind == Kind::shared_memory)
    return sentence("growth.segments.why", {{"count", blocks_text(growth)}});
  if (growth.block_kind == BlockKind::object_arena) return sentence("growth.objects.why");
  bool is_kept_to_end = growth.bytes_at_end < growth.bytes / 2;
  if (kind == Kind::native_growth)
    return sentence(is_kept_to_end ? "growth.native_kept.why" : "growth.native.why",
                    {{"count", blocks_text(growth)}});
  return sentence("growth.python.why", {{"count", blocks_text(growth)}});
}

std::string fix_of(const Growth& growth, Kind kind) {
  if (growth.what == GrowthClass::growing_block)
    return sentence(growth.is_arena ? "growth.arena.fix" : "growth.one_block.fix");
  if (growth.block_kind == BlockKind::shared_map) return sentence("growth.mappings.fix");
  if (kind == Kind::shared_memory) return sentence("growth.segments.fix");
  return kind == Kind::native_growth ? sentence("growth.native.fix") : "";
}

// The file of the library that asked for the blocks.
std::string library_of(const ledger::Reader& ledger, const ledger::Site& site) {
  std::string_view path = ledger.string(ledger.module(site.asker.value).path);
  return std::string(path.substr(path.rfind('/') + 1));
}

std::vector<ActGrowth> act_growths(const Growth& growth) {
  std::vector<ActGrowth> found;
  if (growth.what == GrowthClass::growing_block && !growth.is_arena)
    found.push_back(ActGrowth::one_block);
  if (growth.what == GrowthClass::bounded) found.push_back(ActGrowth::bounded);
  // Of a block that grows the old one is freed, as it should be.
  bool is_partly_alive = static_cast<double>(growth.count) < kPartlyAlive * growth.births;
  if (is_partly_alive && growth.what != GrowthClass::growing_block)
    found.push_back(ActGrowth::partly_freed);
  if (growth.bytes_at_end >= growth.bytes / 2) found.push_back(ActGrowth::never_freed);
  return found;
}

// Where the way in which it is kept is known, the act against it takes the place of the plain advice.
void add_act(Frames& frames, const Judgement& judgement, Finding& f) {
  const Growth& growth = judgement.growth;
  bool is_told = f.severity == Severity::leak ||
                 (growth.what == GrowthClass::bounded && f.severity == Severity::warning);
  if (!is_told || growth.cause) return;
  const ledger::Site& site = frames.ledger().sites()[growth.sites[0].value];
  ActEvidence evidence{f.kind, act_growths(growth), {}, library_of(frames.ledger(), site), {}};
  if (judgement.held) evidence.links = judgement.held->links;
  for (const ReadableFrame& frame : frames.of(site.stack)) {
    if (!frame.is_python) evidence.made.push_back(frame.function);
  }
  if (std::string act = known_act(evidence); !act.empty()) f.fix = act;
}

void say_cache_of_code(const Growth& growth, Finding& f) {
  f.kind = Kind::cache_growth;
  f.why = sentence("growth.compiled_code.why", {{"count", blocks_text(growth)}});
  f.fix = "";
}

// Memory that C code made for a line of Python, and no Python object has: the library is what is known.
std::optional<Holder> native_library(Frames& frames, const Growth& growth) {
  const ledger::Site& site = frames.ledger().sites()[growth.sites[0].value];
  const ReadableFrame* user = frames.user_frame(site.stack);
  if (!user || !user->is_python) return std::nullopt;
  std::string_view path = frames.ledger().string(frames.ledger().module(site.asker.value).path);
  std::string name(path.substr(path.rfind('/') + 1));
  bool is_between = name.empty() || name.starts_with("libffi") || name.starts_with("libc.so") ||
                    name.starts_with("libpython") || name.starts_with("_ctypes");
  if (is_between) return Holder{sentence("growth.native_code.holder"), {}, ""};
  return Holder{sentence("growth.native_library.holder", {{"library", name}}), {}, ""};
}

// References that C code did not give back are told with the function that the line calls.
void add_lost_references(const bytecode::Program& program, const Judgement& e, Finding& f) {
  bool is_lost = is_held(e) && e.held->has_lost_references && !f.where.empty();
  if (!is_lost || e.growth.cause) return;
  std::string function = called_function(program, f.where[0].file, f.where[0].line);
  std::string by = function.empty() ? "" : sentence("held.lost.by", {{"function", function}});
  f.why = sentence("held.lost.why", {{"count", e.growth.count}, {"by", by}});
  if (f.severity == Severity::leak) f.fix = sentence("held.lost.fix", {{"by", by}});
}

void add_holder(const Judgement& e, Finding& f) {
  if (!e.held) return;
  f.holder = e.held->holder;
  if (!is_held(e) || f.kind == Kind::shared_memory) return;
  f.kind = kind_of_retention(e.held->retention_kind);
  if (e.growth.what == GrowthClass::suspected) return;
  f.why = e.held->why;
  if (f.severity == Severity::leak) f.fix = e.held->fix;
}

// What the objects of the cause pile up in, and who keeps that.
Holder holder_of(const GrowthCause& cause, const Holder* keeper) {
  if (!keeper) return {cause.holder, {}, ""};
  return {cause.holder, keeper->path, keeper->text};
}

// Kind, holder, words and lines of the cause, for a finding of growth that belongs to it.
void name_cause(const GrowthCause& cause, const Holder* keeper, Finding& growth) {
  growth.kind = cause.kind;
  bool is_sure = growth.severity == Severity::leak;
  growth.why = is_sure ? cause.why
                       : sentence("growth.with_cause", {{"why", growth.why}, {"cause", cause.why}});
  growth.fix = is_sure ? cause.fix : "";
  growth.holder = holder_of(cause, keeper);
  std::vector<CauseLine> lines = cause.lines;
  std::stable_sort(lines.begin(), lines.end(), [](const CauseLine& a, const CauseLine& b) {
    return a.is_primary != b.is_primary ? a.is_primary : a.bytes > b.bytes;
  });
  growth.where.clear();
  for (const CauseLine& line : lines) {
    if (has_place(growth.where, line.file, line.line)) continue;
    if (growth.where.size() == kMostPlaces) break;
    growth.where.push_back({line.file, line.line, line.function, PlaceRole::made_at, ""});
  }
}

// Who keeps the objects that pile up; nullptr: not known.
const Holder* keeper_of(const Judgement& e) {
  bool is_named =
      is_held(e) && e.held->is_of_cause && e.held->retention_kind != RetentionKind::cycle;
  return is_named ? &e.held->holder : nullptr;
}

// Objects that a global of a library keeps are in a cache of it.
void add_cause(const Judgement& e, Finding& f) {
  const Holder* keeper = keeper_of(e);
  name_cause(*e.growth.cause, keeper, f);
  if (keeper && e.held->is_in_library && f.kind == Kind::retained_python)
    f.kind = Kind::cache_growth;
}

// The line that last needed more room in the container is the one that fills it, and the first to look at.
void add_table(Frames& frames, SiteId table, Finding& f) {
  const ReadableFrame* user = frames.user_frame(frames.ledger().sites()[table.value].stack);
  if (!user) return;
  std::erase_if(f.where,
                [&](const Place& p) { return p.file == user->file && p.line == user->line; });
  f.where.insert(f.where.begin(), place_of(*user, PlaceRole::kept_at));
}

// Code that a library made at run time, as the `__init__` of a dataclass, is no line that people can change; the program
// itself may be text, too.
bool is_generated(const Place& kept, const std::vector<Place>& made) {
  constexpr std::string_view kText = "<string>";
  return kept.file == kText &&
         std::none_of(made.begin(), made.end(), [&](const Place& p) { return p.file == kText; });
}

// The line that stores, behind the first that makes, unless that is the same. One that makes less is told for storing.
// Named segments are there whoever keeps what.
void add_kept_at(const bytecode::Program& program, const Judgement& e, Finding& f) {
  if (!is_held(e) || e.growth.block_kind == BlockKind::shared_segment) return;
  if (e.growth.cause && !e.held->is_of_cause) return;
  std::optional<Place> kept = kept_at(program, e.held->kept, e.held->clues);
  if (!kept || is_generated(*kept, f.where)) return;
  auto is_kept = [&](const Place& p) { return p.file == kept->file && p.line == kept->line; };
  if (!f.where.empty() && is_kept(f.where.front())) return;
  std::erase_if(f.where, is_kept);
  f.where.insert(f.where.begin() + (f.where.empty() ? 0 : 1), std::move(*kept));
}

double confidence_of(const Growth& growth) {
  if (growth.what == GrowthClass::suspected) return kSureOfSuspicion;
  if (growth.what == GrowthClass::too_short) return kSureOfShort;
  double surety = 1 - std::exp(-growth.survivors / kSurvivorsForSurety);
  return surety * (growth.is_estimated ? kSureOfSamples : kSureOfLeak);
}

// Of the biggest site. A node's backward belongs to the line that made the node.
std::string op_text(Frames& frames, const ledger::Site& site) {
  std::string op = op_of(frames, site);
  const ReadableFrame* forward = site.forward ? frames.user_frame(site.forward) : nullptr;
  if (op.empty() || !forward || !forward->is_user) return op;
  return sentence("op.of_line", {{"op", op}, {"line", short_place(forward->file, forward->line)}});
}

// Whether it left blocks of its own in what the small objects pile up in: such a line makes them for sure, and one that asked
// for an arena may only have been there when the last one was full.
bool makes_blocks(Frames& frames, const Growth& growth, SiteId id) {
  const ledger::Site& site = frames.ledger().sites()[id.value];
  if (static_cast<BlockKind>(site.kind) == BlockKind::object_arena) return false;
  auto at = static_cast<size_t>(std::find(growth.sites.begin(), growth.sites.end(), id) -
                                growth.sites.begin());
  if (at >= growth.lives.size()) return false;
  double survivors = 0;
  for (const Slice& slice : growth.lives[at]) survivors += slice.survivors;
  return survivors >= kFewestMade;
}

// Arenas are all of one size: the line that asked for most of them comes first. The interpreter's own lines say nothing.
std::vector<SiteId> sites_in_order(Frames& frames, const Growth& growth) {
  if (growth.block_kind != BlockKind::object_arena) return growth.sites;
  std::map<std::pair<std::string, int>, uint64_t> bytes_of;
  auto key_of = [&](SiteId id) {
    const ReadableFrame* user = frames.user_frame(frames.ledger().sites()[id.value].stack);
    return user && user->is_python ? std::pair(user->file, user->line) : std::pair("", 0);
  };
  for (SiteId id : growth.sites) {
    auto key = key_of(id);
    if (key.second) bytes_of[key] += frames.ledger().sites()[id.value].max_live_bytes;
  }
  std::vector<SiteId> sites = growth.sites;
  if (!bytes_of.empty()) std::erase_if(sites, [&](SiteId id) { return key_of(id).second == 0; });
  std::stable_sort(sites.begin(), sites.end(),
                   [&](SiteId a, SiteId b) { return bytes_of[key_of(a)] > bytes_of[key_of(b)]; });
  std::stable_partition(sites.begin(), sites.end(),
                        [&](SiteId id) { return makes_blocks(frames, growth, id); });
  return sites;
}

// The lines that made it, biggest first, and who called the first of them.
void add_lines(Frames& frames, const Growth& growth, Finding& f) {
  std::vector<const ReadableFrame*> first;
  for (SiteId id : sites_in_order(frames, growth)) {
    std::vector<const ReadableFrame*> callers =
        user_frames(frames, frames.ledger().sites()[id.value].stack);
    if (first.empty()) first = callers;
    if (callers.empty()) continue;
    Place made = place_of(*callers[0], PlaceRole::made_at);
    if (!has_place(f.where, made.file, made.line) && f.where.size() < kMostPlaces)
      f.where.push_back(std::move(made));
  }
  for (size_t i = 1; i < first.size() && i <= kMostCallers; ++i)
    f.where.push_back(place_of(*first[i], PlaceRole::made_at));
  if (f.kind == Kind::native_growth) f.holder = native_maker(first);
  if (f.kind == Kind::native_growth && !f.holder) f.holder = native_library(frames, growth);
}

// What the container takes when it is full, if its items are as large as those that are in it.
double bytes_when_full(const Judgement& judgement) {
  const Bound& bound = judgement.held->bound;
  return static_cast<double>(judgement.growth.bytes) * static_cast<double>(bound.limit) /
         std::max(1.0, static_cast<double>(bound.length));
}

std::string why_bounded(const Judgement& judgement) {
  const Bound& bound = judgement.held->bound;
  return sentence("growth.bounded.why", {{"limit", bound.limit},
                                         {"length", bound.length},
                                         {"full", whole(bytes_when_full(judgement))}});
}

// A limit that the machine's memory does not reach to is none.
bool exceeds_memory(const Judgement& judgement, uint64_t free_bytes) {
  if (judgement.growth.what != GrowthClass::bounded || free_bytes == 0) return false;
  return bytes_when_full(judgement) > static_cast<double>(free_bytes + judgement.growth.bytes);
}

// What is no leak, and told all the same: it explains where memory is.
void say_no_leak(Frames& frames, const Judgement& judgement, Finding& f) {
  const Growth& growth = judgement.growth;
  if (growth.what == GrowthClass::bounded) f.why = why_bounded(judgement);
  if (growth.what == GrowthClass::filling) f.why = sentence("growth.filling.why");
  if (growth.what == GrowthClass::stayed) {
    f.title = sentence("growth.stayed.title", {{"bytes", growth.bytes}});
    f.why = sentence("growth.stayed.why");
    f.bytes_per_step = std::nullopt;
  }
  if (growth.what != GrowthClass::accumulates) return;
  f.title = sentence("growth.given_back.title", {{"bytes", growth.bytes}});
  f.why = sentence("growth.given_back.why", {{"count", blocks_text(growth)}});
  f.bytes_per_step = std::nullopt;
  if (const ReadableFrame* user = frames.user_frame(growth.released))
    f.where.push_back(place_of(*user, PlaceRole::released_at));
}

// Its steps; of one that began late only those since then. A block that grows has room for more than is in it.
uint64_t steps_that_add(const Growth& growth) {
  if (growth.is_one_block || growth.bytes_per_step <= 0) return growth.steps;
  double since = static_cast<double>(growth.bytes) / growth.bytes_per_step;
  bool is_all = std::abs(since - static_cast<double>(growth.steps)) <= kStepsApart * since;
  return is_all ? growth.steps : std::min(growth.steps, whole(std::round(since)));
}

void add_figures(const Growth& growth, Finding& f) {
  f.title = growth_title(growth.bytes_per_step, growth.bytes);
  f.bytes = growth.bytes;
  f.count = whole(growth.blocks);
  f.is_estimated = growth.is_estimated;
  f.per = growth.per;
  if (growth.steps == 0) return;
  f.bytes_per_step = growth.bytes_per_step;
  f.steps = steps_that_add(growth);
  f.are_steps_estimated = growth.unit.is_estimated;
}

Finding describe(const ProcessRun& process, const Judgement& judgement,
                 const std::string& grown_type) {
  Frames& frames = process.frames;
  const Growth& growth = judgement.growth;
  Finding f;
  f.kind = kind_of(frames, growth);
  f.severity = severity_of(growth.what);
  if (exceeds_memory(judgement, process.record.outcome.available_at_end))
    f.severity = Severity::warning;
  f.why = growth.what == GrowthClass::suspected
              ? sentence("growth.suspected.why", {{"but", what_speaks_against(growth)}})
              : why_of(growth, f.kind);
  f.fix = f.severity == Severity::leak ? fix_of(growth, f.kind) : "";
  f.confidence = confidence_of(growth);
  add_lines(frames, growth, f);
  if (growth.block_kind == BlockKind::shared_segment) f.holder = segments_of(growth);
  if (growth.block_kind == BlockKind::object_arena && !grown_type.empty())
    f.holder = Holder{sentence("growth.objects.holder", {{"grown", grown_type}}), {}, ""};
  if (growth.what == GrowthClass::compiled_code) say_cache_of_code(growth, f);
  add_holder(judgement, f);
  if (growth.cause) add_cause(judgement, f);
  add_act(frames, judgement, f);
  if (judgement.held && judgement.held->table)
    add_table(frames, judgement.held->table, f);
  else
    add_kept_at(process.program, judgement, f);
  add_lost_references(process.program, judgement, f);
  f.op = op_text(frames, frames.ledger().sites()[growth.sites[0].value]);
  add_figures(growth, f);
  say_no_leak(frames, judgement, f);
  if (growth.is_ignored) f.accepted_by = kIgnoreCall;
  return f;
}

}  // namespace

std::string growth_title(double bytes_per_step, uint64_t bytes) {
  return sentence("growth.title",
                  {{"per_step", fmt::format("{:.0f}", bytes_per_step)}, {"bytes", bytes}});
}

std::vector<Finding> describe_growth(const ProcessRun& process,
                                     const std::vector<Judgement>& judgements,
                                     const std::string& grown_type) {
  std::vector<Finding> findings;
  for (const Judgement& judgement : judgements)
    findings.push_back(describe(process, judgement, grown_type));
  return findings;
}

void tell_when_full(uint64_t free_bytes, Finding& finding) {
  double slope = finding.bytes_per_step.value_or(0);
  if (finding.severity != Severity::leak || free_bytes == 0 || slope <= 0) return;
  double left = static_cast<double>(free_bytes) / slope;
  if (left > kStepsTillFull * static_cast<double>(finding.steps.value_or(0))) return;
  finding.steps_till_full = whole(left);
  finding.free_bytes = free_bytes;
}

}  // namespace tenure::analyze
