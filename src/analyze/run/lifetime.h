// analyze/run/lifetime.h: when a process was there, as far as its ledger tells.
// World: offline. Pure.
#pragma once
#include <algorithm>
#include <cstdint>

#include "ledger/reader.h"
#include "record/run_outcome.h"

namespace tenure::analyze {

// On the machine's clock.
struct Lifetime {
  uint64_t began_ns = 0, ended_ns = 0;
};

// One that was killed, or left by _exit(), was there when the supervisor last saw it, at least.
inline Lifetime lifetime_of(const ledger::Reader& ledger, const record::ProcessOutcome& process) {
  const ledger::Header& h = ledger.header();
  if (const uint64_t ended = h.ended_mono_ns.load(); ended > 0) return {h.started_mono_ns, ended};
  uint64_t seen = std::max(process.seen_ns, h.last_look_mono_ns.load());
  if (!ledger.timeline().empty()) seen = std::max(seen, ledger.timeline().back().mono_ns);
  return {h.started_mono_ns, std::max(seen, h.started_mono_ns)};
}

}  // namespace tenure::analyze
