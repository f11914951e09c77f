// tests/fuzz/snapshot_fuzz.cpp: any bytes as a snapshot: opened, its heap graph built and its holders named.
// World: fuzzing.
#include "../unit/retention/snapshot_builder.h"
#include "analyze/explain.h"
#include "mutated.h"

namespace {

using namespace tenure;

// Two lists of arrays below a module, one of them in a frame as well.
const std::vector<char>& whole_snapshot() {
  static const std::vector<char> kWhole = [] {
    analyze::SnapshotBuilder heap;
    uint32_t globals = heap.module("__main__");
    for (const char* name : {"losses", "pictures"}) {
      uint32_t list = heap.container("list", 20);
      heap.fill(list, 20);
      heap.edge(globals, list, name);
      heap.edge(heap.frame("train.py:3 in train"), list, name);
    }
    return heap.bytes();
  }();
  return kWhole;
}

// The header as one record, and the sections in their order.
std::vector<fuzz::Table> tables_of(const std::vector<char>& snapshot) {
  const auto& header = *reinterpret_cast<const ledger::SnapshotHeader*>(snapshot.data());
  constexpr uint64_t kBytes[ledger::kSnapshotSections] = {
      sizeof(ledger::SnapshotNode), 4, 4, sizeof(ledger::SnapshotBuffer),
      sizeof(ledger::SnapshotType), 1};
  std::vector<fuzz::Table> tables{{0, sizeof(ledger::SnapshotHeader), 1}};
  for (uint32_t i = 0; i < ledger::kSnapshotSections; ++i)
    tables.push_back({header.sections[i].offset, kBytes[i], header.sections[i].count});
  return tables;
}

}  // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned int seed) {
  static fuzz::Mutator mutator(whole_snapshot(), tables_of(whole_snapshot()));
  return mutator.mutate(data, size, max_size, seed);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto snapshot = ledger::Snapshot::from_bytes({data, data + size}, "fuzzed");
  if (!snapshot) return 0;
  std::vector<ledger::Snapshot> snapshots;
  snapshots.push_back(std::move(*snapshot));
  analyze::Holders holders(snapshots, "train.py");
  analyze::Growth growth;
  growth.sites = {SiteId{1}};
  holders.explain(growth);
  holders.grown_type();
  holders.summary(10);
  return 0;
}
