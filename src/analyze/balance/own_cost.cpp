#include "analyze/balance/own_cost.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "analyze/run/lifetime.h"

namespace tenure::analyze {
namespace {

double seconds_of(uint64_t ns) { return static_cast<double>(ns) / 1e9; }

// Of a process and the children it waited for, as far as it was seen.
uint64_t seen_cpu_ns(const ledger::Header& h) {
  return std::max(h.ended_cpu_ns.load(), h.last_look_cpu_ns.load());
}

// Most that processes had at once: those that came one after the other used the same memory.
uint64_t most_at_once(const record::Record& record) {
  std::vector<std::pair<uint64_t, int64_t>> changes;  // when, by how much
  for (const auto& [index, ledger] : record.ledgers) {
    const ledger::Header& h = ledger.header();
    const auto bytes =
        static_cast<int64_t>(h.own_bytes.load() + h.adapter_bytes.load() + h.copy_bytes.load());
    const Lifetime lifetime =
        lifetime_of(ledger, record.outcome.processes[static_cast<size_t>(index)]);
    changes.emplace_back(lifetime.began_ns, bytes);
    changes.emplace_back(lifetime.ended_ns, -bytes);
  }
  std::sort(changes.begin(), changes.end());  // an end before a beginning at the same moment
  int64_t now = 0, most = 0;
  for (const auto& [when, change] : changes) {
    now += change;
    most = std::max(most, now);
  }
  return static_cast<uint64_t>(most);
}

}  // namespace

OwnCost own_cost(const record::Record& record, const record::OwnUsage& usage) {
  OwnCost cost;
  uint64_t program_ns = usage.program_ns;  // what only ledgers tell counts while it runs
  for (const auto& [index, ledger] : record.ledgers) {
    const ledger::Header& h = ledger.header();
    cost.hooks += seconds_of(h.hook_ns.load());
    cost.adapters += seconds_of(h.adapter_ns.load());
    cost.snapshots += seconds_of(h.copy_ns.load());
    program_ns = std::max(program_ns, seen_cpu_ns(h));
  }
  cost.supervisor = seconds_of(usage.supervisor_ns);
  cost.analysis = seconds_of(usage.analysis_ns);
  cost.program = std::max(seconds_of(program_ns) - cost.hooks - cost.adapters, 0.0);
  cost.bytes = most_at_once(record) + usage.supervisor_bytes;
  return cost;
}

}  // namespace tenure::analyze
