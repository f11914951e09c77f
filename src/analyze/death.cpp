#include "analyze/death.h"

#include <fmt/core.h>
#include <signal.h>
#include <string.h>

#include <algorithm>
#include <filesystem>

#include "analyze/describe.h"

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

// The site that held most at the peak.
const ledger::Site* fullest(const ledger::Reader& ledger) {
  const ledger::Site* most = nullptr;
  uint32_t epoch = ledger.header().peak_epoch.load();
  auto held = [&](const ledger::Site& s) {
    return s.at_peak_epoch == epoch ? s.at_peak_bytes : s.live_bytes;
  };
  for (const ledger::Site& site : ledger.sites().subspan(1)) {
    if (!most || held(site) > held(*most)) most = &site;
  }
  return most;
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
  f.count = ledger.header().live_blocks.load();
  if (const ledger::Site* site = fullest(ledger)) {
    if (const ReadableFrame* frame = frames.user_frame(site->stack))
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
  std::string where =
      fmt::format("{}:{}", std::filesystem::path(place.file).filename().string(), place.line);
  std::string text = place.source.empty() ? "" : fmt::format(", waiting in: {}", place.source);
  return fmt::format("Interrupted at {}{}.", where, text);
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
