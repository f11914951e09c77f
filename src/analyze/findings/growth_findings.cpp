#include "analyze/findings/growth_findings.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "analyze/findings/rules.h"
#include "analyze/findings/severity.h"
#include "analyze/heap/kept_at.h"
#include "analyze/run/allocating_op.h"
#include "base/sentence_writer.h"
#include "base/short_place.h"
#include "base/source_path.h"
#include "base/whole.h"

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

// A named segment belongs to no process: it is the system's until it is unlinked.
Holder segments_of(const Growth& growth) {
  return {sentence("growth.segments.holder", {{"count", growth.count}}), {}, ""};
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
  if (growth.what == GrowthClass::growing_block) return sentence("growth.one_block.why");
  if (growth.block_kind == BlockKind::shared_map)
    return sentence("growth.mappings.why", {{"count", growth.count}});
  if (kind == Kind::shared_memory)
    return sentence("growth.segments.why", {{"count", growth.count}});
  if (growth.block_kind == BlockKind::object_arena) return sentence("growth.objects.why");
  bool is_kept_to_end = growth.bytes_at_end < growth.bytes / 2;
  if (kind == Kind::native_growth)
    return sentence(is_kept_to_end ? "growth.native_kept.why" : "growth.native.why",
                    {{"count", growth.count}});
  return sentence("growth.python.why", {{"count", growth.count}});
}

std::string fix_of(const Growth& growth, Kind kind) {
  if (growth.what == GrowthClass::growing_block) return sentence("growth.one_block.fix");
  if (growth.block_kind == BlockKind::shared_map) return sentence("growth.mappings.fix");
  if (kind == Kind::shared_memory) return sentence("growth.segments.fix");
  return kind == Kind::native_growth ? sentence("growth.native.fix") : "";
}

void say_cache_of_code(const Growth& growth, Finding& f) {
  f.kind = Kind::cache_growth;
  f.why = sentence("growth.compiled_code.why", {{"count", growth.count}});
  f.fix = "";
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

// The line that stores, behind the first that makes, unless that is the same. One that makes less is told for storing.
// Named segments are there whoever keeps what.
void add_kept_at(const bytecode::Program& program, const Judgement& e, Finding& f) {
  if (!is_held(e) || e.growth.block_kind == BlockKind::shared_segment) return;
  if (e.growth.cause && !e.held->is_of_cause) return;
  std::optional<Place> kept = kept_at(program, e.held->kept);
  if (!kept) return;
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
}

// What the container takes when it is full, if its items are as large as those that are in it.
std::string why_bounded(const Judgement& judgement) {
  const Bound& bound = judgement.held->bound;
  double full = static_cast<double>(judgement.growth.bytes) * static_cast<double>(bound.limit) /
                std::max(1.0, static_cast<double>(bound.length));
  return sentence("growth.bounded.why",
                  {{"limit", bound.limit}, {"length", bound.length}, {"full", whole(full)}});
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
  f.why = sentence("growth.given_back.why", {{"count", growth.count}});
  f.bytes_per_step = std::nullopt;
  if (const ReadableFrame* user = frames.user_frame(growth.released))
    f.where.push_back(place_of(*user, PlaceRole::released_at));
}

void add_figures(const Growth& growth, Finding& f) {
  f.title = growth_title(growth.bytes_per_step, growth.bytes);
  f.bytes = growth.bytes;
  f.count = growth.count;
  f.per = growth.per;
  if (growth.steps == 0) return;
  f.bytes_per_step = growth.bytes_per_step;
  f.steps = growth.steps;
}

Finding describe(const ProcessRun& process, const Judgement& judgement,
                 const std::string& grown_type) {
  Frames& frames = process.frames;
  const Growth& growth = judgement.growth;
  Finding f;
  f.kind = kind_of(frames, growth);
  f.severity = severity_of(growth.what);
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
  if (judgement.held && judgement.held->table)
    add_table(frames, judgement.held->table, f);
  else
    add_kept_at(process.program, judgement, f);
  f.op = op_text(frames, frames.ledger().sites()[growth.sites[0].value]);
  add_figures(growth, f);
  say_no_leak(frames, judgement, f);
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
