#include "analyze/run/stack_profile.h"

#include <algorithm>

#include "analyze/run/allocating_op.h"

namespace tenure::analyze {
namespace {

StackSample sample_of(Frames& frames, const ledger::Site& site) {
  StackSample sample;
  const StackId stack = told_stack(frames, site);
  sample.pid = frames.ledger().header().pid;
  sample.frames = frames.of(stack);
  if (const ReadableFrame* frame = frames.user_frame(stack))
    sample.place = place_of(*frame, PlaceRole::made_at);
  sample.kind = site.is_tensor ? "tensor" : code(static_cast<BlockKind>(site.kind));
  const ledger::Reader::Held at_peak = frames.ledger().at_peak(site);
  sample.at_peak = {at_peak.bytes, at_peak.count};
  sample.live = {site.live_bytes, site.live_count};
  sample.total = {site.total_bytes, site.total_count};
  return sample;
}

}  // namespace

std::vector<StackSample> stack_samples(const record::Record& record) {
  std::vector<StackSample> samples;
  for (const auto& [index, ledger] : record.ledgers) {
    Frames frames(ledger, *record.symbols);
    for (const ledger::Site& site : ledger.sites()) {
      if (site.births > 0) samples.push_back(sample_of(frames, site));
    }
  }
  std::stable_sort(samples.begin(), samples.end(),
                   [](const auto& a, const auto& b) { return a.at_peak.bytes > b.at_peak.bytes; });
  return samples;
}

}  // namespace tenure::analyze
