// inproc/snapshot/snapshot_file.h: writes the pruned graph in the layout of ledger/snapshot_layout.h.
// World: inside, in the snapshot's child.
#pragma once
#include "inproc/snapshot/node_words.h"

namespace tenure::inproc {

// A memfd with the whole snapshot, or -1. `main_module`: its code, nullptr: not known. `header` has everything but magic, version, architecture and sections.
int write_snapshot(const ledger::SnapshotHeader& header, const HeapApi& api, Accounting& accounting,
                   HeapGraph& heap, const TorchLayout& torch, const BlockIndex& blocks,
                   const PrunedGraph& pruned, Object main_module) noexcept;

}  // namespace tenure::inproc
