#include "analyze/death.h"

#include <fmt/core.h>
#include <signal.h>
#include <string.h>

#include <algorithm>

#include "analyze/describe.h"
#include "analyze/source_line.h"

namespace tenure::analyze {
namespace {

using ledger::Event;
using ledger::EventKind;

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
  uint32_t epoch = ledger.header().peak_epoch.load();
  for (const ledger::Site& site : ledger.sites().subspan(1)) {
    bool is_saved = site.at_peak_epoch == epoch;
    uint64_t held = is_saved ? site.at_peak_bytes : site.live_bytes;
    found.blocks += is_saved ? site.at_peak_count : site.live_count;
    if (found.fullest && held <= most) continue;
    most = held;
    found.fullest = &site;
  }
  return found;
}

Finding describe_death(Frames& frames, const std::string& title, const std::string& why) {
  const ledger::Reader& ledger = frames.ledger();
  Finding f;
  f.kind = "out-of-memory";
  f.severity = Severity::error;
  f.title = title;
  f.why = why;
  f.confidence = 0.9;
  f.bytes = ledger.header().peak_bytes.load();
  AtPeak peak = at_peak(ledger);
  f.count = peak.blocks;
  if (peak.fullest) {
    if (const ReadableFrame* frame = frames.user_frame(peak.fullest->stack))
      f.where.push_back(place_of(*frame, "made at"));
  }
  return f;
}

bool died(const RunOutcome& outcome) {
  return outcome.has_ended && (outcome.signal != 0 || outcome.exit_code != 0);
}

}  // namespace

std::optional<Finding> out_of_memory(Frames& frames, const RunOutcome& outcome) {
  const ledger::Reader& ledger = frames.ledger();
  if (outcome.signal == SIGKILL && outcome.oom_kills > 0) {
    return describe_death(
        frames, "killed by the system because memory ran out",
        "the kernel's OOM killer ended the program; this line held most at the peak");
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
  Finding f =
      describe_death(frames, fmt::format("a request for {} bytes was refused", refused->value),
                     "the system refused the memory, and the program ended of it; the first line "
                     "asked last, the next held most");
  if (const ReadableFrame* frame = frames.user_frame(refused->stack))
    f.where.insert(f.where.begin(), place_of(*frame, "used"));
  if (error) f.error = ErrorText{type, std::string(ledger.string(error->text))};
  return f;
}

std::string ending_sentence(Frames& frames, const RunOutcome& outcome) {
  const Event* interrupted = last_event(frames.ledger(), EventKind::interrupted);
  const ReadableFrame* frame = interrupted ? frames.user_frame(interrupted->stack) : nullptr;
  if (!frame) return interrupted ? "Interrupted." : ending_sentence(outcome);
  Place place = place_of(*frame, "used");
  std::string text = place.source.empty() ? "" : fmt::format(", waiting in: {}", place.source);
  return fmt::format("Interrupted at {}{}.", short_place(place.file, place.line), text);
}

std::string ending_sentence(const RunOutcome& outcome) {
  if (outcome.is_end_unseen) return "Its end was not seen: Tenure was killed first.";
  if (outcome.was_interrupted || outcome.signal == SIGINT) return "Interrupted.";
  if (outcome.signal == 0) return "";
  const char* name = sigabbrev_np(outcome.signal);
  return fmt::format("Killed by {} ({}).", name ? std::string("SIG") + name : "a signal",
                     outcome.signal);
}

std::string never_ran(const ledger::Reader& ledger) {
  const Event* error = last_event(ledger, EventKind::uncaught_error);
  if (!error || error->stack) return "";
  std::string_view type = ledger.string(error->what);
  if (type != "SyntaxError" && type != "IndentationError" && type != "TabError") return "";
  return fmt::format("the script does not parse ({}: {}), so nothing of it ran", type,
                     ledger.string(error->text));
}

}  // namespace tenure::analyze
