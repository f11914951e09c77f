// record/layout.h: the names of a record's files and the version of its format. docs/record-format.md is the contract.
// World: offline. Constants.
#pragma once
#include "ledger/image.h"

namespace tenure::record {

inline constexpr char kRunSchema[] = "tenure-run/2";
inline constexpr char kRunFile[] = "run.json";          // what the run was; rewritten while it runs
inline constexpr char kSymbolsFile[] = "symbols";       // native frames; written when a run ends
inline constexpr char kSourcesFile[] = "sources.json";  // the user's files and statements; the same
inline constexpr char kFindingsFile[] = "findings.json";  // what was told
inline constexpr char kPageFile[] = "report.html";        // on demand
inline constexpr char kLooksFile[] = "looks.json";        // what sites held along the run
inline constexpr char kOutputFile[] = "output.txt";       // what the program printed, under --live
inline constexpr char kLedgerStart[] = "ledger.";         // ledger.<pid>
inline constexpr char kSnapshotStart[] = "snapshot.";     // snapshot.<pid>.<number>

// Compressed and checksummed as a ledger is; the raw bytes are JSON.
inline constexpr char kSymbolsMagic[9] = "TENURESY";
inline constexpr ledger::ImageFormat kSymbolsImage{kSymbolsMagic, 1, "file of symbols", 2,
                                                   256u << 20};

}  // namespace tenure::record
