// tests/fuzz/ledger_fuzz.cpp: any bytes as a ledger: opened, judged, and every figure of it told.
// The file around it is checksummed, so damage in it never comes so far; this is for what the checksum lets through.
// World: fuzzing.
#include "../unit/analyze/run_builder.h"
#include "analyze/run/figures.h"
#include "mutated.h"
#include "report/figures.h"
#include "report/json.h"

namespace {

using namespace tenure;

// A leak of 40 steps, a block that ended, and a teardown.
const std::vector<char>& whole_ledger() {
  static const std::vector<char> kWhole = [] {
    analyze::RunBuilder run;
    for (int i = 0; i < 40; ++i) {
      run.round(10);
      run.make_and_end(12, 5000);
      run.born(11, 100'000);
    }
    run.teardown();
    return run.bytes();
  }();
  return kWhole;
}

// The header as one record, and what each table holds.
std::vector<fuzz::Table> tables_of(const std::vector<char>& ledger) {
  const auto& header = *reinterpret_cast<const ledger::Header*>(ledger.data());
  std::vector<fuzz::Table> tables{{0, sizeof(ledger::Header), 1}};
  for (const ledger::TableInfo& table : header.tables)
    tables.push_back({table.offset, table.record_bytes, table.used.load()});
  return tables;
}

}  // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned int seed) {
  static fuzz::Mutator mutator(whole_ledger(), tables_of(whole_ledger()));
  return mutator.mutate(data, size, max_size, seed);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto ledger = ledger::Reader::from_bytes({data, data + size}, "fuzzed");
  if (!ledger) return 0;
  record::Record record = analyze::RunBuilder::record_of(std::move(*ledger));
  report::findings_json(analyze::judge(record, {}));
  report::figures_json(analyze::biggest_sites(record, 0), analyze::seen_units(record),
                       analyze::live_blocks(record));
  return 0;
}
