#include "analyze/errors/ending.h"

#include <signal.h>

#include <algorithm>
#include <utility>

#include "base/sentence_writer.h"
#include "base/short_place.h"

namespace tenure::analyze {
namespace {

using ledger::Event;
using ledger::EventKind;

// glibc's own sigabbrev_np() came with 2.32.
const char* name_of(int signal) {
  static constexpr std::pair<int, const char*> kNames[] = {
      {SIGHUP, "SIGHUP"},   {SIGQUIT, "SIGQUIT"},     {SIGILL, "SIGILL"},
      {SIGTRAP, "SIGTRAP"}, {SIGABRT, "SIGABRT"},     {SIGBUS, "SIGBUS"},
      {SIGFPE, "SIGFPE"},   {SIGKILL, "SIGKILL"},     {SIGUSR1, "SIGUSR1"},
      {SIGSEGV, "SIGSEGV"}, {SIGUSR2, "SIGUSR2"},     {SIGPIPE, "SIGPIPE"},
      {SIGALRM, "SIGALRM"}, {SIGTERM, "SIGTERM"},     {SIGXCPU, "SIGXCPU"},
      {SIGXFSZ, "SIGXFSZ"}, {SIGSYS, "SIGSYS"},       {SIGSTKFLT, "SIGSTKFLT"},
      {SIGPOLL, "SIGPOLL"}, {SIGVTALRM, "SIGVTALRM"}, {SIGPROF, "SIGPROF"},
      {SIGPWR, "SIGPWR"}};
  for (const auto& [number, name] : kNames)
    if (number == signal) return name;
  return nullptr;
}

const Event* last_event(const ledger::Reader& ledger, EventKind kind) {
  const Event* last = nullptr;
  for (const Event& event : ledger.events()) {
    if (event.kind == static_cast<uint32_t>(kind)) last = &event;
  }
  return last;
}

struct AtPeak {
  const ledger::Site* fullest = nullptr;  // the site that held most
  uint64_t blocks = 0;
};

AtPeak at_peak(const ledger::Reader& ledger) {
  AtPeak found;
  uint64_t most = 0;
  for (const ledger::Site& site : ledger.sites().subspan(1)) {
    ledger::Reader::Held held = ledger.at_peak(site);
    found.blocks += held.count;
    if (found.fullest && held.bytes <= most) continue;
    most = held.bytes;
    found.fullest = &site;
  }
  return found;
}

OutOfMemory describe_death(Frames& frames, const std::string& title, const std::string& why) {
  const ledger::Reader& ledger = frames.ledger();
  OutOfMemory f;
  f.title = title;
  f.why = why;
  f.bytes = ledger.header().peak_bytes.load();
  AtPeak peak = at_peak(ledger);
  f.count = peak.blocks;
  if (peak.fullest) {
    if (const ReadableFrame* frame = frames.user_frame(peak.fullest->stack))
      f.where.push_back(place_of(*frame, PlaceRole::made_at));
  }
  return f;
}

bool died(const record::RunOutcome& outcome) {
  return outcome.has_ended && (outcome.signal != 0 || outcome.exit_code != 0);
}

}  // namespace

std::optional<OutOfMemory> out_of_memory(Frames& frames, const record::RunOutcome& outcome) {
  const ledger::Reader& ledger = frames.ledger();
  if (outcome.signal == SIGKILL && outcome.oom_kills > 0) {
    return describe_death(frames, sentence("death.killed.title"), sentence("death.killed.why"));
  }
  const Event* refused = last_event(ledger, EventKind::failed_allocation);
  if (!refused || !died(outcome)) return std::nullopt;
  const Event* error = last_event(ledger, EventKind::uncaught_error);
  std::string type = error ? std::string(ledger.string(error->what)) : "";
  bool is_memory_error = type == "MemoryError" || type == "_ArrayMemoryError" ||
                         type.find("OutOfMemory") != std::string::npos ||
                         type == "ResourceExhaustedError";
  bool is_native = ledger.fact("python").empty() && outcome.signal != 0;
  if (!is_memory_error && !is_native) return std::nullopt;
  OutOfMemory f =
      describe_death(frames, sentence("death.refused.title", {{"bytes", refused->value}}),
                     sentence("death.refused.why"));
  if (const ReadableFrame* frame = frames.user_frame(refused->stack))
    f.where.insert(f.where.begin(), place_of(*frame, PlaceRole::used));
  if (error) f.error = ErrorText{type, std::string(ledger.string(error->text))};
  return f;
}

std::optional<Place> interrupted_at(Frames& frames) {
  const Event* interrupted = last_event(frames.ledger(), EventKind::interrupted);
  const ReadableFrame* frame = interrupted ? frames.user_frame(interrupted->stack) : nullptr;
  return frame ? std::optional(place_of(*frame, PlaceRole::used)) : std::nullopt;
}

std::string ending_sentence(Frames& frames, const record::RunOutcome& outcome) {
  const Event* interrupted = last_event(frames.ledger(), EventKind::interrupted);
  std::optional<Place> place = interrupted_at(frames);
  if (!place) return interrupted ? sentence("ending.interrupted") : ending_sentence(outcome);
  return sentence("ending.interrupted_at", {{"line", short_place(place->file, place->line)}});
}

std::string ending_sentence(const record::RunOutcome& outcome) {
  if (outcome.is_end_unseen) return sentence("ending.unseen");
  if (outcome.was_interrupted || outcome.signal == SIGINT) return sentence("ending.interrupted");
  if (outcome.signal == 0) return "";
  const char* name = name_of(outcome.signal);
  if (!name) return sentence("ending.killed_by_number", {{"number", outcome.signal}});
  return sentence("ending.killed", {{"signal", name}, {"number", outcome.signal}});
}

std::string never_ran(const ledger::Reader& ledger) {
  const Event* error = last_event(ledger, EventKind::uncaught_error);
  if (!error || error->stack) return "";
  std::string_view type = ledger.string(error->what);
  if (type != "SyntaxError" && type != "IndentationError" && type != "TabError") return "";
  return sentence("unknown.does_not_parse",
                  {{"type", type}, {"message", ledger.string(error->text)}});
}

}  // namespace tenure::analyze
