// tests/fuzz/snapshot_fuzz.cpp: any bytes as a snapshot: opened, its heap graph built, its holders named and its
// code looked through.
// World: fuzzing.
#include "../unit/retention/snapshot_builder.h"
#include "analyze/heap/holders.h"
#include "analyze/heap/storing_line.h"
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
    analyze::BuiltCode code;
    code.file = "train.py";
    code.name = "train";
    code.head.co_flags = 3;
    code.instructions = {151, 0, 116, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,   0, 160, 1, 0, 0,
                         0,   0, 0,   0, 0, 0, 0, 0, 0, 0, 0, 0, 100, 1, 166, 1, 0, 0,
                         171, 1, 0,   0, 0, 0, 0, 0, 0, 0, 1, 0, 100, 0, 83,  0};
    code.lines = {0x80, 0, 0xd8, 4, 10, 0x87, 0x4d, 0x82, 0x4d};
    code.names = {"losses", "append"};
    code.variables = {{"x", ledger::kCodeVariableIsLocal}};
    code.constants = {{ledger::CodeConstant::none, "", 0},
                      {ledger::CodeConstant::text, "key", 0},
                      {ledger::CodeConstant::code, "", 0}};
    heap.set_python(0x30b);
    heap.code(code);
    return heap.bytes();
  }();
  return kWhole;
}

// The header as one record, and the sections in their order.
std::vector<fuzz::Table> tables_of(const std::vector<char>& snapshot) {
  const auto& header = *reinterpret_cast<const ledger::SnapshotHeader*>(snapshot.data());
  constexpr uint64_t kBytes[ledger::kSnapshotSections] = {sizeof(ledger::SnapshotNode),
                                                          4,
                                                          4,
                                                          sizeof(ledger::SnapshotBuffer),
                                                          sizeof(ledger::SnapshotType),
                                                          1,
                                                          sizeof(ledger::SnapshotBlock),
                                                          sizeof(ledger::SnapshotCode),
                                                          4,
                                                          1};
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
  analyze::Accumulation pile;
  pile.sites = {SiteId{1}};
  holders.explain(pile);
  holders.grown_type();
  holders.summary(10);
  bytecode::Program program(snapshots);
  for (const char* name : {"losses", "x"})
    analyze::find_storing_line(program, {analyze::KeptName::Kind::variable, name, "", "key"});
  return 0;
}
