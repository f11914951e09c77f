#include "analyze/findings/losses.h"

#include <algorithm>

#include "base/sentence_writer.h"

namespace tenure::analyze {
namespace {

using ledger::Loss;

std::string loss_sentence(Loss loss, uint64_t count) {
  switch (loss) {
    case Loss::table_full:
      return sentence("loss.table_full", {{"count", count}});
    case Loss::untracked_birth:
      return sentence("loss.untracked_birth", {{"count", count}});
    case Loss::stack_truncated:
      return sentence("loss.stack_truncated", {{"count", count}});
    case Loss::process_not_joined:
      return sentence("loss.process_not_joined", {{"count", count}});
    case Loss::unmatched_end:
      return sentence("loss.unmatched_end", {{"count", count}});
    case Loss::page_refused:
      return sentence("loss.page_refused", {{"count", count}});
    case Loss::fork_unseen:
      return sentence("loss.fork_unseen", {{"count", count}});
    case Loss::site_coarsened:
      return sentence("loss.site_coarsened");
  }
  return "";
}

}  // namespace

void add_losses(const ledger::Reader& ledger, std::map<std::string, std::string>& losses) {
  const ledger::Header& h = ledger.header();
  for (uint32_t i = 0; i < ledger::kLossCount; ++i) {
    uint64_t n = h.losses[i].load();
    if (n) losses[code(static_cast<Loss>(i))] = loss_sentence(static_cast<Loss>(i), n);
  }
  if (h.exact_threshold) {
    losses[code(OtherLoss::sampling)] =
        sentence("loss.sampling", {{"threshold", h.exact_threshold}, {"mean", h.sample_mean}});
  }
  if (ledger.fact("guard") == "on" && !ledger.fact("python").empty()) {
    losses[code(OtherLoss::guard_python)] = sentence("loss.guard_python");
  }
  for (const ledger::Fact& fact : ledger.facts()) {
    std::string_view key = ledger.string(fact.key), value = ledger.fact(key);
    bool is_part = key == "adapters" || key == "python_frames" || key == "snapshots" ||
                   key == "territory" || key == "guard" || key == "sandbox" ||
                   key.starts_with("adapter.");
    if (is_part && value.starts_with("off")) losses[std::string(key)] = std::string(value);
    if (key.starts_with("guard.")) losses[std::string(key)] = std::string(value);
  }
}

void add_lost_codes(std::span<const ledger::Snapshot> snapshots,
                    std::map<std::string, std::string>& losses) {
  uint32_t lost = 0;
  for (const ledger::Snapshot& snapshot : snapshots)
    lost = std::max(lost, snapshot.header().lost_codes);
  if (lost == 0) return;
  losses[code(OtherLoss::code)] = sentence("loss.code", {{"count", lost}});
}

std::string_view heap_off(const ledger::Reader& ledger) {
  for (const ledger::Site& site : ledger.sites()) {
    bool is_heap = site.kind == static_cast<uint8_t>(ledger::BlockKind::heap) ||
                   site.kind == static_cast<uint8_t>(ledger::BlockKind::small_heap);
    if (is_heap && site.births > 0) return "";
  }
  return ledger.fact("heap");
}

}  // namespace tenure::analyze
